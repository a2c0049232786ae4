package io.sagaspring.test.database;

import java.sql.SQLException;

/**
 * The server that the user has configured. If it cannot be reached, the tests fail. Using another server would silently
 * test something else.
 */
final class ConfiguredServer implements ServerSource {

    @Override
    public String description() {
        return "configured server";
    }

    @Override
    public PostgresServer start(TestSettings settings) throws Unavailable {
        if (settings.url().isEmpty()) {
            throw new Unavailable(
                    this,
                    "neither the system property %s nor the environment variable %s is set"
                            .formatted(TestSettings.URL, TestSettings.variable(TestSettings.URL)));
        }
        String url = settings.url().get();
        PostgresServer server = new PostgresServer(
                "the server at %s".formatted(withoutParameters(url)),
                url,
                settings.username().orElse(null),
                settings.password().orElse(null));
        try {
            server.majorVersion();
        } catch (SQLException unreachable) {
            throw new NoDatabaseException(
                    "%s is set to %s, but connecting as '%s' failed: %s. Start that server, correct %s and %s, or remove the URL."
                            .formatted(
                                    TestSettings.URL,
                                    withoutParameters(url),
                                    settings.username().orElse("(no user name)"),
                                    unreachable.getMessage(),
                                    TestSettings.USERNAME,
                                    TestSettings.PASSWORD),
                    unreachable);
        }
        server.dropDatabasesAtExit();
        return server;
    }

    /** Removes the parameters, because they may contain a password. */
    private static String withoutParameters(String url) {
        return url.replaceFirst("\\?.*", "");
    }
}
