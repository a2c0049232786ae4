package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.ClaimService;
import io.sagaspring.due.DueWork;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.operations.ClaimOperations;
import io.sagaspring.operations.ClaimRelease;
import io.sagaspring.operations.WorkOperations;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.tenant.TenantColumnTests;
import io.sagaspring.tenant.TenantShop;
import io.sagaspring.tenant.shared.Ticket;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The endpoints show the tenant of each claim and of each piece of work. They can list the claims and the work of a
 * single tenant, and act on them. The tenant of the request makes no difference.
 */
class TenantEndpointsTests {

    private static final TestDatabase database = TenantColumnTests.database();
    private static final TenantShop shop = TenantColumnTests.open(database);

    private static final AtomicLong numbers = new AtomicLong();

    private final long number = numbers.incrementAndGet();
    private final ClaimsEndpoint claims =
            new ClaimsEndpoint(shop.bean(ClaimService.class), shop.bean(ClaimOperations.class));

    private final DueEndpoint due = new DueEndpoint(shop.bean(DueWork.class), shop.bean(WorkOperations.class));

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void reset() {
        shop.shop().database().sql("TRUNCATE ticket, saga_claim, saga_due").update();
        shop.save("a", Ticket.class, number);
        shop.save("b", Ticket.class, number);
    }

    @Test
    void theListShowsTenantsAndCanBeLimitedToOneTenant() {
        shop.claim("a", Ticket.class, number);
        shop.claim("b", Ticket.class, number);

        assertThat(claims.claims(null, null).claims())
                .extracting(ClaimsEndpoint.Claimed::tenant, ClaimsEndpoint.Claimed::id)
                .containsExactly(tuple("a", "a," + number), tuple("b", "b," + number));
        assertThat(claims.claims(null, "b").claims())
                .extracting(ClaimsEndpoint.Claimed::tenant)
                .containsExactly("b");
        assertThat(claims.claims(null, "c").claims()).isEmpty();
    }

    @Test
    void anEmptyTenantSelectsClaimsAndWorkWithoutATenant() {
        shop.claim("a", Ticket.class, number);
        shop.claim("b", Ticket.class, number);
        shop.shop()
                .database()
                .sql("UPDATE saga_claim SET tenant = NULL WHERE tenant = 'a'")
                .update();
        scheduleUnhandled(null);
        scheduleUnhandled("b");

        assertThat(claims.claims(null, "").claims())
                .extracting(ClaimsEndpoint.Claimed::id)
                .containsExactly("a," + number);
        assertThat(due.parked(null, "").unhandled())
                .extracting(DueWork.Unhandled::key)
                .containsExactly("of null");
    }

    @Test
    void aRequestInATenantSeesAndChangesTheWorkOfAllTenants() {
        shop.claim("a", Ticket.class, number);
        shop.claim("b", Ticket.class, number);
        scheduleUnhandled("a");
        scheduleUnhandled("b");

        boolean unused = shop.as("b", () -> {
            assertThat(claims.claims(null, null).claims())
                    .extracting(ClaimsEndpoint.Claimed::tenant)
                    .containsExactly("a", "b");
            assertThat(claims.release("ticket", "a," + number, null, null).result())
                    .isEqualTo(ClaimRelease.Result.RELEASED);
            assertThat(due.parked(null, null).unhandled())
                    .extracting(DueWork.Unhandled::tenant)
                    .containsExactlyInAnyOrder("a", "b");
            assertThat(due.parked(null, "a").unhandled())
                    .singleElement()
                    .satisfies(ofA ->
                            assertThat(due.giveUp(ofA.id(), "a").removed()).isTrue());
            return true;
        });

        assertThat(shop.shop()
                        .database()
                        .sql("SELECT status FROM ticket WHERE tenant = 'a' AND number = ?")
                        .param(number)
                        .query(String.class)
                        .single())
                .isEqualTo("OPEN");
    }

    /** Schedules work of a queue that no node handles. */
    private static void scheduleUnhandled(@Nullable String tenant) {
        boolean unused = shop.as(
                tenant,
                () -> shop.bean(OwnTransactions.class).single(connection -> {
                    shop.bean(DueWork.class).schedule(connection, "of another build", "of " + tenant, "");
                    return true;
                }));
    }

    @Test
    void aReleaseAffectsOnlyOneTenant() {
        shop.claim("a", Ticket.class, number);
        shop.claim("b", Ticket.class, number);

        assertThat(claims.release("ticket", "a," + number, null, "b").result())
                .isEqualTo(ClaimRelease.Result.NOT_CLAIMED);
        assertThat(claims.release("ticket", "" + number, null, null).result())
                .isEqualTo(ClaimRelease.Result.NOT_CLAIMED);
        assertThat(claims.release("ticket", "" + number, null, "b").result()).isEqualTo(ClaimRelease.Result.RELEASED);
        assertThat(claims.claims(null, null).claims())
                .extracting(ClaimsEndpoint.Claimed::tenant)
                .containsExactly("a");
    }

    @Test
    void aReleaseReportsThatTheTenantOfTheClaimCannotBeEntered() {
        shop.claim("a", Ticket.class, number);
        shop.tenants().remove("a");
        try {
            ClaimRelease release = claims.release("ticket", "a," + number, null, null);

            assertThat(release.result()).isEqualTo(ClaimRelease.Result.UNKNOWN);
            assertThat(release.message()).contains("Work for tenant 'a' was not begun");
        } finally {
            shop.tenants().add("a");
        }
    }

    @Test
    @ExpectsErrors("Parked")
    void parkedWorkShowsItsTenant() {
        shop.fail(() -> {
            shop.complete("b", Ticket.class, number);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !due.parked(null, null).parked().isEmpty());

            assertThat(due.parked(null, "a").parked()).isEmpty();
            assertThat(due.parked(null, "b").parked())
                    .extracting(DueWork.Parked::tenant)
                    .containsExactly("b");
        });
    }
}
