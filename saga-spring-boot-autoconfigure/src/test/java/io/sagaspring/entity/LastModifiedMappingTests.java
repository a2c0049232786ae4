package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sagaspring.database.Databases;
import io.sagaspring.entity.audited.Dossier;
import io.sagaspring.entity.refused.NotRefused;
import io.sagaspring.entity.refused.RefusedLastModified;
import io.sagaspring.fence.OwnTransactions;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hibernate.annotations.UpdateTimestamp;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.annotation.LastModifiedDate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;

/** Flips write the last-modified column only if the property is set. A column that flips cannot write is refused. */
class LastModifiedMappingTests {

    private static final List<String> STATES = List.of("OPEN", "CLOSING", "CLOSED");

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments(
                        RefusedLastModified.ChangedAtNumber.class,
                        "has a last-modified property 'changedAt' that is not stored in a date-time column. A flip cannot write it, so set saga.claims.write-last-modified=false."),
                arguments(
                        RefusedLastModified.ChangedOnDate.class,
                        "has a last-modified property 'changedAt' that is not stored in a date-time column. A flip cannot write it, so set saga.claims.write-last-modified=false."),
                arguments(
                        RefusedLastModified.ChangedInAnotherTable.class,
                        "has a last-modified property 'changedAt' in table ChangedInAnotherTable, which a flip does not write. Move it to the table of the status or the version, or set saga.claims.write-last-modified=false."));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aColumnThatAFlipCannotWriteIsRefused(Class<?> entity, String predicate) {
        try (EntityManagerFactory unit = unit(Map.of(), entity)) {
            assertThatExceptionOfType(UnsupportedMappingException.class)
                    .isThrownBy(() -> table(unit, entity, true))
                    .withMessage("Entity %s %s".formatted(entity.getName(), predicate));
        }
    }

    static List<String> sentences(Class<?> entity) {
        try (EntityManagerFactory unit = unit(Map.of(), entity)) {
            return catchThrowableOfType(UnsupportedMappingException.class, () -> table(unit, entity, true))
                    .sentences();
        }
    }

    @ParameterizedTest
    @MethodSource("refused")
    void withoutThePropertyNoColumnIsRefused(Class<?> entity, String predicate) {
        try (EntityManagerFactory unit = unit(Map.of(), entity)) {
            assertThat(table(unit, entity, false).flip("OPEN", "CLOSING", false))
                    .as("instead of: %s", predicate)
                    .doesNotContain("clock_timestamp");
        }
    }

    @Test
    void thePropertyChangesNoStatementOfAnEntityWithoutSuchAColumn() {
        try (EntityManagerFactory unit = unit(Map.of(), NotRefused.Plain.class)) {
            assertThat(table(unit, NotRefused.Plain.class, true).flip("OPEN", "CLOSING", true))
                    .isEqualTo(table(unit, NotRefused.Plain.class, false).flip("OPEN", "CLOSING", true))
                    .doesNotContain("clock_timestamp");
        }
    }

    @Test
    void theFlipWritesTheColumn() {
        try (EntityManagerFactory unit = unit(Map.of(), Dossier.class)) {
            assertThat(table(unit, Dossier.class, true).flip("OPEN", "CLOSING", false))
                    .contains(
                            "version = t.version + 1, changedAt = CAST(clock_timestamp() AS timestamp with time zone) WHERE");
        }
    }

    /** The flip increments the version, even if the property is also a last-modified time. */
    @Test
    void theVersionIsNotWrittenTwice() {
        try (EntityManagerFactory unit = unit(Map.of(), StampedVersion.class)) {
            assertThat(table(unit, StampedVersion.class, true).flip("OPEN", "CLOSING", false))
                    .doesNotContain("clock_timestamp");
        }
    }

    /** The mapping of an inherited column names the table of the superclass. */
    @Test
    void aLeafOfATablePerClassGetsTheTimeInItsOwnTable() {
        try (EntityManagerFactory unit = unit(Map.of(), Leaf.class)) {
            assertThat(table(unit, Leaf.class, true).flip("OPEN", "CLOSING", false))
                    .startsWith("UPDATE Leaf ")
                    .contains(", changedAt = CAST(clock_timestamp() AS timestamp with time zone) WHERE");
        }
    }

    @Entity(name = "StampedVersion")
    static class StampedVersion {

        @Id
        Long id = 0L;

        String status = "OPEN";

        @Version
        @LastModifiedDate
        long version;
    }

    @Entity(name = "Root")
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    static class Root {

        @Id
        Long id = 0L;

        String status = "OPEN";

        @Version
        long version;

        @UpdateTimestamp
        @Nullable
        Instant changedAt;
    }

    @Entity(name = "Leaf")
    static class Leaf extends Root {}

    private static EntityTable table(EntityManagerFactory unit, Class<?> entity, boolean writesLastModified) {
        PersistenceUnit persistence = new PersistenceUnit(
                unit,
                new JpaTransactionManager(unit),
                new DriverManagerDataSource(),
                Databases.only(new OwnTransactions(new DriverManagerDataSource())),
                false);
        return new MappedEntities(List.of(persistence), List.of(), writesLastModified)
                .mapped(entity, "status", STATES)
                .orElseThrow();
    }

    /** Creates a persistence unit without a database, because a mapping does not depend on a database. */
    private static EntityManagerFactory unit(Map<String, Object> settings, Class<?> entity) {
        HibernatePersistenceConfiguration unit = new HibernatePersistenceConfiguration("modified");
        unit.managedClasses(entity);
        if (entity.getSuperclass() != Object.class) {
            unit.managedClasses(entity.getSuperclass());
        }
        unit.property("hibernate.boot.allow_jdbc_metadata_access", false);
        unit.property("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect");
        settings.forEach(unit::property);
        return unit.createEntityManagerFactory();
    }
}
