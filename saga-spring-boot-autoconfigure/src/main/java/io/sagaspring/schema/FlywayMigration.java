package io.sagaspring.schema;

import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Runs scripts through Flyway, with a separate history table. So the application's own Flyway migrations and these
 * scripts do not affect each other. Only this class and {@link PendingScripts} use Flyway, so that the other classes
 * load without it.
 */
final class FlywayMigration {

    private final DataSource dataSource;

    FlywayMigration(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    void run(String schema, List<MigrationScript> scripts, boolean outOfOrder) {
        Flyway.configure(getClass().getClassLoader())
                .dataSource(dataSource)
                .resourceProvider(new PendingScripts(scripts))
                .javaMigrationClassProvider(Set::of)
                .table("saga_schema_history")
                .schemas(schema)
                // Without a baseline, Flyway refuses to migrate a schema that is not empty. The schema is rarely empty,
                // because it often also contains the application's tables.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                // Flyway must not compare its history with the given scripts: only the scripts that have not run yet
                // are given, and others may have run without Flyway.
                .validateOnMigrate(false)
                .outOfOrder(outOfOrder)
                .load()
                .migrate();
    }
}
