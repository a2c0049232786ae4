package io.sagaspring.schema;

import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Base class of tests of the installer. Each test has its own database, which is empty when the test begins. */
abstract class SchemasOnPostgres {

    static final MigrationScripts NEXT = shippedAnd("db/saga-next", "V1000__later.sql");
    static final List<Integer> SHIPPED =
            IntStream.rangeClosed(1, MigrationScripts.SHIPPED.latest()).boxed().toList();
    static final List<Integer> UP_TO_NEXT =
            Stream.concat(SHIPPED.stream(), Stream.of(1000)).toList();

    @AutoClose
    final TestDatabase database = TestDatabase.create();

    final DataSource dataSource = database.dataSource();
    final JdbcClient jdbc = JdbcClient.create(dataSource);

    static MigrationScripts shippedAnd(String location, String... further) {
        return MigrationScripts.in(
                location,
                Stream.concat(MigrationScriptsTests.names().stream(), Stream.of(further))
                        .toArray(String[]::new));
    }

    PGSimpleDataSource asOwner() {
        PGSimpleDataSource owner = as(String.valueOf(database.getUsername()));
        owner.setPassword(database.getPassword());
        return owner;
    }

    PGSimpleDataSource as(String role) {
        PGSimpleDataSource other = new PGSimpleDataSource();
        other.setUrl(database.getJdbcUrl());
        other.setUser(role);
        other.setPassword(role);
        return other;
    }

    List<String> tablesIn(String schema) {
        return jdbc.sql("SELECT tablename FROM pg_tables WHERE schemaname = ? ORDER BY tablename")
                .param(schema)
                .query(String.class)
                .list();
    }

    int version(String schema) {
        return jdbc.sql("SELECT max(version) FROM " + schema + ".saga_schema_version")
                .query(Integer.class)
                .single();
    }

    static String enumerated(List<Integer> versions) {
        return versions.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    List<Integer> executedVersions(String schema) {
        return jdbc.sql("SELECT version FROM " + schema
                        + ".saga_schema_history WHERE type = 'SQL' AND success ORDER BY installed_rank")
                .query(Integer.class)
                .list();
    }
}
