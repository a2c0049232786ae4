package io.sagaspring.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.tenant.shared.Seat;
import io.sagaspring.tenant.shared.Ticket;
import io.sagaspring.test.database.TestDatabase;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tenants share a table, and a {@code @TenantId} tells their rows apart. */
class TenantColumnTests extends TenantContract {

    private TestDatabase database;

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Ticket.class)
    static class Shared {}

    /** Creates a database with the tables of the jobs. */
    static TestDatabase database() {
        TestDatabase database = TestDatabase.create(MigratedSchema.class);
        for (String table : new String[] {"ticket", "seat"}) {
            JdbcClient.create(database.dataSource()).sql("""
                            CREATE TABLE %s (tenant text, number bigint, status text NOT NULL, version bigint NOT NULL,
                                note text NOT NULL, PRIMARY KEY (tenant, number))""".formatted(table)).update();
        }
        return database;
    }

    @Override
    TenantShop open() {
        database = database();
        return TenantShop.open(database, Map.of(), Shared.class, TenantApplication.settings(Ticket.class, Seat.class));
    }

    @Override
    void closeDatabases() {
        database.close();
    }

    @Override
    Stream<Class<?>> jobs() {
        return Stream.of(Ticket.class, Seat.class);
    }

    @Override
    Object id(String tenant, Class<?> job, long number) {
        return job == Seat.class ? new Seat.Id(tenant, number) : number;
    }

    @Override
    String status(String tenant, Class<?> job, long number) {
        return shop.database(tenant)
                .sql("SELECT status FROM %s WHERE tenant = ? AND number = ?".formatted(TenantApplication.workflow(job)))
                .params(tenant, number)
                .query(String.class)
                .single();
    }

    @Override
    void writeStatus(String tenant, Class<?> job, long number, String status) {
        shop.database(tenant)
                .sql("UPDATE %s SET status = ? WHERE tenant = ? AND number = ?"
                        .formatted(TenantApplication.workflow(job)))
                .params(status, tenant, number)
                .update();
    }

    @Override
    String lockAll(String tenant, Class<?> job) {
        return "SELECT 1 FROM %s WHERE tenant = '%s' FOR UPDATE".formatted(TenantApplication.workflow(job), tenant);
    }

    @Test
    void aThreadWithoutATenantClaimsNothing() {
        shop.save("a", Ticket.class, 1_000_000);

        assertThatIllegalStateException()
                .isThrownBy(() -> shop.close(null, Ticket.class, 1_000_000))
                .withMessageContaining("Ticket has a @TenantId, and this thread works for no tenant.");
        assertThat(status("a", Ticket.class, 1_000_000)).isEqualTo("OPEN");
    }

    @Test
    void theKeyInTheLedgerBeginsWithTheTenant() {
        shop.tenants().add("x,~y");
        shop.save("x,~y", Ticket.class, 7);

        assertThat(((io.sagaspring.claim.ClaimAttempt.Granted) shop.claim("x,~y", Ticket.class, 7L))
                        .claim()
                        .key())
                .isEqualTo("x~,~~y,7");
        shop.silence(java.time.Duration.ofMinutes(6));
        assertThat(shop.shop().sweep()).isEqualTo(1);
        assertThat(shop.close("x,~y", Ticket.class, "7", Shop.ADMIN))
                .isInstanceOf(io.sagaspring.workflow.TransitionOutcome.Completed.class);
        shop.awaitNoDueWork();
        shop.tenants().remove("x,~y");
    }
}
