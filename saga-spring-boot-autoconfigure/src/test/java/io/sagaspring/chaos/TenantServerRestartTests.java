package io.sagaspring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.database.Database;
import io.sagaspring.database.DatabaseSource;
import io.sagaspring.database.Databases;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests two tenants in one database. The server restarts before the library looks up the database of the second tenant.
 */
@Tag("chaos")
@ExpectsErrors("Could not stop postmaster")
class TenantServerRestartTests {

    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void aTenantThatIsFoundAfterARestartBelongsToTheKnownDatabase(@TempDir Path directory) throws Exception {
        try (TestDatabase home = TestDatabase.create();
                OwnServer server = new OwnServer(directory.resolve("data"));
                Keeper keeper = new Keeper(home.dataSource(), LONG, ElapsedClock.OF_THIS_MACHINE)) {
            Tenants tenants = Tenants.of(new ThreadTenants("early", "late"));
            Databases databases = Databases.of(
                    new OwnTransactions(home.dataSource()),
                    tenants,
                    new Databases.Settings(keeper, created -> {}, LONG, LONG));
            DataSource shared = new DriverManagerDataSource(server.url());
            DatabaseSource source =
                    databases.source(new DatabaseSource.Connections(shared, new OwnTransactions(shared)));
            Database known = tenants.in("early", source::here);

            server.stopAtOnce();
            server.startAgain();

            assertThat(tenants.in("late", source::here)).isSameAs(known);
            assertThat(databases.all()).containsExactly(databases.home(), known);
            assertThat(known.tenants()).containsExactly("early", "late");
        }
    }
}
