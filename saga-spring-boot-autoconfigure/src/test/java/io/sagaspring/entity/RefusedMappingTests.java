package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sagaspring.database.Databases;
import io.sagaspring.entity.refused.NotRefused;
import io.sagaspring.entity.refused.RefusedIds;
import io.sagaspring.entity.refused.RefusedRows;
import io.sagaspring.entity.refused.RefusedStatuses;
import io.sagaspring.entity.refused.RefusedVersions;
import io.sagaspring.fence.OwnTransactions;
import jakarta.persistence.EntityManagerFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hibernate.context.spi.TenantSchemaMapper;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;

/** A mapping that is not fully supported is refused with a sentence that names the entity and the reason. */
class RefusedMappingTests {

    private static final List<String> STATES = List.of("OPEN", "CLOSING", "CLOSED");

    static Stream<Arguments> mappings() {
        return Stream.of(
                arguments(
                        RefusedIds.WithInstantId.class,
                        "has an id with the part 'id' of type Instant, stored as TIMESTAMP_UTC. Supported types: whole numbers, UUID, text, enums, booleans and bytes."),
                arguments(RefusedIds.WithDay.class, "has an id with the part 'day' of type LocalDate, stored as DATE."),
                arguments(
                        RefusedIds.WithDecimal.class,
                        "has an id with the part 'id' of type BigDecimal, stored as DECIMAL."),
                arguments(RefusedIds.WithLob.class, "has an id with the part 'id' of type String, stored as CLOB."),
                arguments(
                        RefusedIds.WithUserType.class,
                        "has an id with the part 'shop' of type String, stored as Secret. Supported types:"),
                arguments(
                        RefusedIds.WithConvertedText.class,
                        "has an id of type String with a converter. The library cannot tell whether a text that a caller passes is the id or its stored form. Use a type of your own for the id instead of String."),
                arguments(
                        RefusedIds.WithSerializedPart.class,
                        "has an id with the part 'value' of type Text, stored as VARBINARY."),
                arguments(
                        RefusedIds.WithNumericFlag.class,
                        "has an id with the part 'flag' of type Boolean, stored as SMALLINT."),
                arguments(
                        RefusedIds.WithNumericLetter.class,
                        "has an id with the part 'letter' of type Character, stored as SMALLINT."),
                arguments(
                        RefusedIds.WithStruct.class,
                        "has the id class InOneColumn in a single column. Use a class with a column for each part."),
                arguments(
                        RefusedIds.WithoutIdClass.class,
                        "has several id properties, but no id class. Declare an @IdClass, or use an @EmbeddedId."),
                arguments(
                        RefusedIds.WithAssociation.class,
                        "has an id with the association 'other'. Use the other entity's id as the part, with @MapsId on an association outside the id."),
                arguments(
                        RefusedIds.WithUnequal.class,
                        "has the id class Unequal without equals, so two ids with the same values would not be equal. Override equals and hashCode."),
                arguments(
                        RefusedIds.WithUnequalPart.class,
                        "has an id with the part 'value' of type Value without equals."),
                arguments(RefusedIds.WithHash.class, "has an id with the array 'hash', which is equal only to itself."),
                arguments(
                        RefusedStatuses.WithTypedStatus.class,
                        "has a status property 'status' whose type Backwards does not declare its conversion. Make its method getValueConverter return a converter."),
                arguments(
                        RefusedStatuses.WithSaltedStatus.class,
                        "has a status property 'status' whose constant OPEN is stored as '0OPEN' and then as '1OPEN'. Make the conversion return the same value each time."),
                arguments(
                        RefusedStatuses.WithNumericStatus.class,
                        "has a status property 'status' of type Integer, stored as INTEGER. Supported: enums, String and converted values."),
                arguments(
                        RefusedStatuses.WithEmbeddedStatus.class,
                        "has no basic property 'status' to hold its status. Set 'status-property' to one of status.status, version."),
                arguments(
                        RefusedStatuses.WithoutStatus.class,
                        "has no basic property 'status' to hold its status. Set 'status-property' to one of phase, version."),
                arguments(
                        RefusedStatuses.WithReadOnlyStatus.class,
                        "has a status property 'status' that is computed, transformed or not updatable. Map it to a plain column that can be updated."),
                arguments(
                        RefusedStatuses.WithTransformedStatus.class,
                        "has a status property 'status' that is computed, transformed or not updatable. Map it to a plain column that can be updated."),
                arguments(
                        RefusedStatuses.WithTransformedReading.class,
                        "has a status property 'status' that is computed, transformed or not updatable. Map it to a plain column that can be updated."),
                arguments(
                        RefusedStatuses.WithComputedStatus.class,
                        "has a status property 'status' that is computed, transformed or not updatable. Map it to a plain column that can be updated."),
                arguments(
                        RefusedStatuses.WithUnlockedStatus.class,
                        "excludes its status 'status' from optimistic locking"),
                arguments(
                        RefusedVersions.WithoutVersion.class,
                        "has no @Version, so two callers could change the same row. Add a @Version."),
                arguments(
                        RefusedVersions.WithBinaryVersion.class,
                        "has a @Version of type byte[]. It must be a whole number, or a time in a timestamp column."),
                arguments(RefusedVersions.WithCalendarVersion.class, "has a @Version of type Calendar. It must be"),
                arguments(
                        RefusedVersions.LockedByDirty.class,
                        "uses @OptimisticLocking of type DIRTY. Only a @Version is supported."),
                arguments(
                        RefusedVersions.LockedByAll.class,
                        "uses @OptimisticLocking of type ALL. Only a @Version is supported."),
                arguments(
                        RefusedRows.WithOperator.class,
                        "has an @SQLRestriction with a question mark or a colon that looks like a parameter."),
                arguments(
                        RefusedRows.WithColon.class,
                        "has an @SQLRestriction with a question mark or a colon that looks like a parameter."),
                arguments(
                        RefusedRows.Unchangeable.class,
                        "is immutable, so its status could never change. Make the entity mutable."),
                arguments(
                        RefusedRows.OfATenant.class,
                        "has a @TenantId, and the application has no TenantContext. Declare a bean of this type, so that the library can handle each claim in the context of its tenant."),
                arguments(
                        RefusedRows.ByFormula.class,
                        "shares its table with its sibling classes, and a @DiscriminatorFormula tells them apart. Use a @DiscriminatorColumn, or configure the workflow for io.sagaspring.entity.refused.RefusedRows$InOneTable, the root of the hierarchy."),
                arguments(
                        RefusedRows.TheRest.class,
                        "has the @DiscriminatorValue 'null' or 'not null', or a subclass has one of these values. Give each class its own value, or configure the workflow for io.sagaspring.entity.refused.RefusedRows$WithTheRest, the root of the hierarchy."),
                arguments(
                        RefusedRows.InATableForEach.class,
                        "is stored in a separate table for each class of its hierarchy. Configure the workflow for one of these classes."));
    }

    @ParameterizedTest
    @MethodSource("mappings")
    void anUnsupportedMappingIsRefusedWithASentence(Class<?> entity, String predicate) {
        assertThat(sentences(entity))
                .anyMatch(sentence -> sentence.startsWith("Entity %s %s".formatted(entity.getName(), predicate)));
    }

    static List<String> sentences(Class<?> entity) {
        return refusals(entity, Map.of()).lines().toList();
    }

    /** If this mapping were refused, the other tests here would prove nothing. */
    @Test
    void aPlainMappingIsNotRefused() {
        try (EntityManagerFactory unit = unit(Map.of(), NotRefused.Plain.class)) {
            assertThat(tables(unit)
                            .require(NotRefused.Plain.class, "status", STATES)
                            .entity())
                    .isEqualTo(NotRefused.Plain.class);
        }
    }

    /** Hibernate checks an existing version even with {@code @OptimisticLocking(type = NONE)}. */
    @Test
    void aVersionedEntityWithLockTypeNoneIsNotRefused() {
        try (EntityManagerFactory unit = unit(Map.of(), NotRefused.NotLocked.class)) {
            assertThat(tables(unit)
                            .require(NotRefused.NotLocked.class, "status", STATES)
                            .entity())
                    .isEqualTo(NotRefused.NotLocked.class);
        }
    }

    @Test
    void allStatusesThatTheEnumDoesNotHaveAreReported() {
        try (EntityManagerFactory unit = unit(Map.of(), NotRefused.Plain.class)) {
            assertThatExceptionOfType(UnsupportedMappingException.class)
                    .isThrownBy(() ->
                            tables(unit).require(NotRefused.Plain.class, "status", List.of("OPEN", "OPENED", "SHUT")))
                    .withMessage(
                            "Entity %s cannot have the statuses [OPENED, SHUT]. Its property 'status' is of type State, which has the constants [OPEN, CLOSING, CLOSED]. Use one of these.",
                            NotRefused.Plain.class.getName());
        }
    }

    @Test
    void allFaultsOfAMappingAreReported() {
        try (EntityManagerFactory unit = unit(Map.of(), RefusedIds.WithInstantId.class)) {
            assertThatExceptionOfType(UnsupportedMappingException.class)
                    .isThrownBy(() -> tables(unit).require(RefusedIds.WithInstantId.class, "state", STATES))
                    .satisfies(refused -> assertThat(refused.sentences()).hasSize(2));
        }
    }

    @Test
    void aUnitWithMultiTenancyIsRefusedUnlessTheTenantsAreKnown() {
        assertThat(refusals(
                        NotRefused.Plain.class,
                        Map.of("hibernate.multi_tenant_connection_provider", NoTenantsConnections.class.getName())))
                .contains(
                        "belongs to a persistence unit with multi-tenancy, and the application has no TenantContext.");
    }

    @Test
    void aUnitThatMapsTenantsToSchemasIsRefused() {
        assertThat(refusals(
                        NotRefused.Plain.class,
                        Map.of("hibernate.multi_tenant.schema_mapper", (TenantSchemaMapper<Object>) String::valueOf)))
                .contains(
                        "belongs to a persistence unit with a TenantSchemaMapper or a TenantCredentialsMapper. Use a MultiTenantConnectionProvider.");
    }

    @Test
    void aClassThatIsNotAnEntityIsRefused() {
        try (EntityManagerFactory unit = unit(Map.of(), NotRefused.Plain.class)) {
            assertThatExceptionOfType(UnsupportedMappingException.class)
                    .isThrownBy(() -> tables(unit).require(String.class, "status", STATES))
                    .withMessage(
                            "Class java.lang.String is not an entity of any persistence unit of this application, and no ClaimTable bean describes it. Declare such a bean, or map the class with JPA.");
        }
    }

    @Test
    void anEntityInAnotherDatabaseIsRefused() {
        try (EntityManagerFactory unit = unit(Map.of(), NotRefused.Plain.class)) {
            EntityTables tables =
                    new EntityTables(List.of(new MappedEntities(List.of(), List.of(persistenceUnit(unit)), false)));

            assertThatExceptionOfType(UnsupportedMappingException.class)
                    .isThrownBy(() -> tables.require(NotRefused.Plain.class, "status", STATES))
                    .withMessageContaining("is not in the same database as its claims");
        }
    }

    private static String refusals(Class<?> entity, Map<String, Object> settings) {
        Class<?>[] classes = entity.getEnclosingClass().getDeclaredClasses();
        Class<?>[] family = Stream.concat(Stream.of(NotRefused.Plain.class), Arrays.stream(classes))
                .filter(each -> each == NotRefused.Plain.class
                        || each == entity
                        || each.getSuperclass() == entity
                        || entity.getSuperclass() == each)
                .filter(each -> each.isAnnotationPresent(jakarta.persistence.Entity.class))
                .distinct()
                .toArray(Class<?>[]::new);
        try (EntityManagerFactory unit = unit(settings, family)) {
            EntityTables tables = tables(unit);
            return String.join("\n", refusal(tables, entity).sentences());
        }
    }

    private static UnsupportedMappingException refusal(EntityTables tables, Class<?> entity) {
        try {
            tables.require(entity, "status", STATES);
        } catch (UnsupportedMappingException refused) {
            return refused;
        }
        throw new AssertionError("%s was not refused.".formatted(entity.getName()));
    }

    static EntityTables tables(EntityManagerFactory unit) {
        return new EntityTables(List.of(new MappedEntities(List.of(persistenceUnit(unit)), List.of(), false)));
    }

    private static PersistenceUnit persistenceUnit(EntityManagerFactory unit) {
        return new PersistenceUnit(
                unit,
                new JpaTransactionManager(unit),
                new NoConnections(),
                Databases.only(new OwnTransactions(new NoConnections())),
                false);
    }

    /** Creates a persistence unit without a database, because a mapping does not depend on a database. */
    static EntityManagerFactory unit(Map<String, Object> settings, Class<?>... entities) {
        HibernatePersistenceConfiguration unit = new HibernatePersistenceConfiguration("refused");
        unit.managedClasses(entities);
        unit.property("hibernate.boot.allow_jdbc_metadata_access", false);
        unit.property("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect");
        settings.forEach(unit::property);
        return unit.createEntityManagerFactory();
    }

    /** A data source without a database. */
    private static final class NoConnections extends AbstractDataSource {

        @Override
        public java.sql.Connection getConnection() {
            throw new UnsupportedOperationException("No connection is needed to read a mapping.");
        }

        @Override
        public java.sql.Connection getConnection(String user, String password) {
            return getConnection();
        }
    }

    /** Stands in for the connection provider of an application. */
    public static final class NoTenantsConnections
            implements org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider<String> {

        private static final long serialVersionUID = 1L;

        @Override
        public java.sql.Connection getAnyConnection() {
            throw new UnsupportedOperationException("No connection is needed to read a mapping.");
        }

        @Override
        public void releaseAnyConnection(java.sql.Connection connection) {}

        @Override
        public java.sql.Connection getConnection(String tenant) {
            return getAnyConnection();
        }

        @Override
        public void releaseConnection(String tenant, java.sql.Connection connection) {}

        @Override
        public boolean supportsAggressiveRelease() {
            return false;
        }

        @Override
        public boolean isUnwrappableAs(Class<?> type) {
            return false;
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            throw new UnsupportedOperationException("Nothing is wrapped.");
        }
    }
}
