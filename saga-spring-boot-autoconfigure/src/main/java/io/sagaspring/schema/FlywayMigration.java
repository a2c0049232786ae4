package io.sagaspring.schema;

import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.util.ClassUtils;

/**
 * Runs the scripts through Flyway, in a history table of its own: the application's Flyway, if it has one, neither
 * sees these scripts nor is seen by them. The only class that touches Flyway, so that the others load without it.
 */
final class FlywayMigration {

    private final DataSource dataSource;
    private final MigrationScripts scripts;

    FlywayMigration(DataSource dataSource, MigrationScripts scripts) {
        this.dataSource = dataSource;
        this.scripts = scripts;
    }

    static boolean isAvailable() {
        return ClassUtils.isPresent("org.flywaydb.core.Flyway", null)
                && ClassUtils.isPresent("org.flywaydb.database.postgresql.PostgreSQLDatabaseType", null);
    }

    void run(SchemaState state) {
        Flyway.configure(getClass().getClassLoader())
                .dataSource(dataSource)
                .locations("classpath:" + scripts.location())
                .failOnMissingLocations(true)
                .table("saga_schema_history")
                .schemas(state.schema())
                // The schema is rarely empty: it is the application's. What has run by hand is not run again.
                .baselineOnMigrate(true)
                .baselineVersion(String.valueOf(state.version()))
                .load()
                .migrate();
    }
}
