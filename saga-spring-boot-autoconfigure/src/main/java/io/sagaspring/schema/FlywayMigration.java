package io.sagaspring.schema;

import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Runs scripts through Flyway, in a history table of its own: the application's Flyway, if it has one, neither sees these
 * scripts nor is seen by them. With its neighbour {@link PendingScripts} the only class that touches Flyway, so that the
 * others load without it.
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
                // The schema is rarely empty: it is the application's.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                // Which scripts are pending has been decided by what they recorded, whoever ran the others.
                .validateOnMigrate(false)
                .outOfOrder(outOfOrder)
                .load()
                .migrate();
    }
}
