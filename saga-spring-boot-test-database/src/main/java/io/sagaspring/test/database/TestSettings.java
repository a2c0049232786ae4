package io.sagaspring.test.database;

import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The user's settings for the database: system properties, otherwise environment variables. */
record TestSettings(
        Optional<String> url, Optional<String> username, Optional<String> password, Optional<String> version) {

    static final String URL = "saga.test.database.url";
    static final String USERNAME = "saga.test.database.username";
    static final String PASSWORD = "saga.test.database.password";
    static final String VERSION = "saga.test.database.version";

    /** The version of the Docker image if none is configured. */
    static final String NEWEST = "18";

    static TestSettings ofThisJvm() {
        return of(System::getProperty, System::getenv);
    }

    static TestSettings of(Lookup properties, Lookup environment) {
        Function<String, Optional<String>> setting = name -> Optional.ofNullable(properties.find(name))
                .or(() -> Optional.ofNullable(environment.find(variable(name))))
                .filter(value -> !value.isBlank());
        return new TestSettings(
                setting.apply(URL), setting.apply(USERNAME), setting.apply(PASSWORD), setting.apply(VERSION));
    }

    /**
     * Finds a setting. Returns null for a missing setting, as {@code System.getProperty} and {@code System.getenv} do.
     */
    @FunctionalInterface
    interface Lookup {

        @Nullable
        String find(String name);
    }

    static String variable(String property) {
        return property.replace('.', '_').toUpperCase(Locale.ROOT);
    }
}
