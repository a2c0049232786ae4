package io.sagaspring.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.entity.supported.MapCache;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.tenant.shared.Seat;
import io.sagaspring.tenant.shared.Ticket;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tenants share a table, and a {@code @TenantId} distinguishes their rows. */
public class TenantColumnTests extends TenantContract {

    private final TestDatabase database = database();

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Ticket.class)
    static class Shared {}

    /** Creates a database with the tables of the jobs. */
    public static TestDatabase database() {
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
        return open(database);
    }

    /** Opens an application over this database. */
    public static TenantShop open(TestDatabase database) {
        List<String> settings = new ArrayList<>(List.of(TenantApplication.settings(Ticket.class, Seat.class)));
        settings.add("spring.jpa.properties.hibernate.cache.use_second_level_cache=true");
        settings.add("spring.jpa.properties.hibernate.cache.region.factory_class=" + MapCache.class.getName());
        return TenantShop.open(database, Map.of(), Shared.class, settings.toArray(String[]::new));
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

    @ParameterizedTest
    @MethodSource("jobs")
    void nothingIsClaimedIfHibernateWorksForAnotherTenant(Class<?> job) {
        assertNothingIsClaimedForAnotherTenantOfHibernate(job);
    }

    @Test
    void aThreadWithoutATenantClaimsNothing() {
        shop.save("a", Ticket.class, 1_000_000);

        assertThatIllegalStateException()
                .isThrownBy(() -> shop.close(null, Ticket.class, 1_000_000))
                .withMessageContaining("Ticket has a @TenantId, but this thread has no current tenant.");
        assertThat(status("a", Ticket.class, 1_000_000)).isEqualTo("OPEN");
    }

    @Test
    void aStepDoesNotRunInThePersistenceContextOfAnotherTenant() {
        shop.save("b", Ticket.class, 2_000_000);

        shop.withContextOf(
                "a",
                () -> assertThatIllegalStateException()
                        .isThrownBy(() -> shop.close("b", Ticket.class, 2_000_000))
                        .withMessageContaining("belongs to tenant 'a', but the current tenant is 'b'"));
        assertThat(status("b", Ticket.class, 2_000_000)).isEqualTo("OPEN");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void aFlipEvictsTheEntityOfItsTenantFromTheSecondLevelCache() {
        shop.save("a", Ticket.class, 3_000_000);
        assertThat(cached("a", 3_000_000)).isEqualTo(Job.Status.OPEN);

        ClaimAttempt.Granted granted = (ClaimAttempt.Granted) shop.claim("a", Ticket.class, 3_000_000L);

        assertThat(cached("a", 3_000_000)).isEqualTo(Job.Status.CLOSING);
        assertThat(shop.bean(ClaimService.class).release(granted.claim())).isEqualTo(ClaimEnd.DONE);
        assertThat(cached("a", 3_000_000)).isEqualTo(Job.Status.OPEN);
    }

    private Job.Status cached(String tenant, long number) {
        return shop.as(
                tenant,
                () -> shop.shop()
                        .inTransaction(
                                entities -> entities.find(Ticket.class, number).status()));
    }

    @Test
    void theKeyInTheLedgerBeginsWithTheTenant() {
        shop.tenants().add("x,~y");
        shop.save("x,~y", Ticket.class, 7);

        assertThat(((ClaimAttempt.Granted) shop.claim("x,~y", Ticket.class, 7L))
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
