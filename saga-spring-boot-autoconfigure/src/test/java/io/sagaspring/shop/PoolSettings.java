package io.sagaspring.shop;

import java.util.stream.Stream;

/** Settings that applications use for their pools. Every step must work with each of them. */
public enum PoolSettings {
    DEFAULTS,
    REPEATABLE_READ("spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ"),
    SERIALIZABLE("spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE"),
    NO_AUTO_COMMIT("spring.datasource.hikari.auto-commit=false"),
    NO_AUTO_COMMIT_AND_SERIALIZABLE(
            "spring.datasource.hikari.auto-commit=false",
            "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE"),
    NO_PREPARED_STATEMENTS("spring.datasource.hikari.data-source-properties.prepareThreshold=0"),
    SIMPLE_QUERIES("spring.datasource.hikari.data-source-properties.preferQueryMode=simple");

    private final String properties;

    PoolSettings(String... properties) {
        this.properties = String.join("\n", properties);
    }

    public String[] and(String... others) {
        return Stream.concat(properties.lines(), Stream.of(others)).toArray(String[]::new);
    }
}
