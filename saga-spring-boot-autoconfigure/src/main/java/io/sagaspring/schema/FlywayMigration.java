package io.sagaspring.schema;

import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Runs scripts through Flyway, with a history table of its own. The application's own Flyway migrations and these
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
                // The schema is rarely empty, because it is also the application's.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                // The pending scripts are already known from the recorded versions, whatever ran the other scripts.
                .validateOnMigrate(false)
                .outOfOrder(outOfOrder)
                .load()
                .migrate();
    }
}
