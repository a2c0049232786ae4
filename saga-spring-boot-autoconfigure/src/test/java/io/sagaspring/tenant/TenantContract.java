package io.sagaspring.tenant;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.definition.Requester;
import io.sagaspring.due.DueWork;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionRequest;
import io.sagaspring.workflow.UnknownException;
import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * The guarantees for the entities of tenants. They do not depend on the location of the tables. Each test uses the
 * tenants a and b.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract class TenantContract extends TenantFixture {

    @ParameterizedTest
    @MethodSource("jobs")
    void aStepAndItsAfterEffectRunForTheirTenant(Class<?> job) {
        long both = saved(job, "a", "b");

        assertThat(shop.close("a", job, id("a", job, both))).isEqualTo(new TransitionOutcome.Completed("CLOSED", null));

        shop.awaitNoDueWork();
        assertThat(executions).containsExactly(both + " in a");
        assertThat(followed).containsExactly(both + " in a");
        assertThat(status("a", job, both)).isEqualTo("CLOSED");
        assertThat(status("b", job, both)).isEqualTo("OPEN");
        assertThat(shop.claims()).isZero();
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void aStepWithoutAClaimRunsForItsTenant(Class<?> job) {
        long both = saved(job, "a", "b");

        assertThat(shop.close("b", job, id("b", job, both), Shop.SYSTEM))
                .isInstanceOf(TransitionOutcome.Completed.class);

        shop.awaitNoDueWork();
        assertThat(followed).containsExactly(both + " in b");
        assertThat(status("a", job, both)).isEqualTo("OPEN");
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void theSameIdInTwoTenantsHasTwoClaims(Class<?> job) {
        long both = saved(job, "a", "b");

        Claim ofA = granted("a", job, both);
        Claim ofB = granted("b", job, both);

        assertThat(shop.claims()).isEqualTo(2);
        assertThat(ofA.tenant()).isEqualTo("a");
        assertThat(ofB.tenant()).isEqualTo("b");
        assertThat(shop.bean(ClaimService.class).release(ofA)).isEqualTo(ClaimEnd.DONE);
        assertThat(status("a", job, both)).isEqualTo("OPEN");
        assertThat(status("b", job, both)).isEqualTo("CLOSING");
        assertThat(shop.as("a", () -> shop.bean(ClaimService.class).complete(ofB, "CLOSED")))
                .isEqualTo(ClaimEnd.DONE);
        assertThat(status("b", job, both)).isEqualTo("CLOSED");
        assertThat(shop.claims()).isZero();
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void aTenantCannotClaimAnEntityOfAnotherTenant(Class<?> job) {
        long onlyA = saved(job, "a");

        assertThat(shop.claim("b", job, id("a", job, onlyA))).isInstanceOf(ClaimAttempt.NoSuchEntity.class);
        assertThatExceptionOfType(UnknownException.Entity.class)
                .isThrownBy(() -> shop.close("b", job, id("a", job, onlyA)));
        assertThatExceptionOfType(UnknownException.Entity.class)
                .isThrownBy(() -> shop.close("b", job, id("a", job, onlyA), Shop.SYSTEM));

        assertThat(executions).isEmpty();
        assertThat(status("a", job, onlyA)).isEqualTo("OPEN");
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void exactlyOneCallerOfEachTenantRunsTheAction(Class<?> job) throws Exception {
        long both = saved(job, "a", "b");
        List<CompletableFuture<TransitionOutcome>> callers = new ArrayList<>();
        try (TenantShop.Locked ofA = shop.lock("a", lockAll("a", job));
                TenantShop.Locked ofB = shop.lock("b", lockAll("b", job))) {
            for (int caller = 0; caller < 8; caller++) {
                String tenant = caller % 2 == 0 ? "a" : "b";
                callers.add(
                        CompletableFuture.supplyAsync(() -> shop.close(tenant, job, id(tenant, job, both)), threads));
            }
            assertThat(List.of(ofA, ofB)).hasSize(2);
            await().atMost(20, SECONDS).until(() -> shop.waiting() == 8);
        }
        int completed = 0;
        for (CompletableFuture<TransitionOutcome> caller : callers) {
            completed += caller.get(30, SECONDS) instanceof TransitionOutcome.Completed ? 1 : 0;
        }

        assertThat(completed).isEqualTo(2);
        assertThat(executions).containsExactlyInAnyOrder(both + " in a", both + " in b");
        shop.awaitNoDueWork();
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void aSweepFreesTheClaimsOfAllTenants(Class<?> job) {
        long both = saved(job, "a", "b");
        Claim lost = granted("a", job, both);
        granted("b", job, both);
        List<String> recovered = shop.bean(TenantApplication.Janitor.class).recovered;
        recovered.clear();

        shop.silence(Duration.ofMinutes(6));
        assertThat(shop.shop().sweep()).isEqualTo(2);

        assertThat(status("a", job, both)).isEqualTo("OPEN");
        assertThat(status("b", job, both)).isEqualTo("OPEN");
        await().atMost(10, SECONDS)
                .untilAsserted(() -> assertThat(recovered).containsExactlyInAnyOrder("a in a", "b in b"));
        assertThat(shop.bean(ClaimService.class).release(lost)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(granted("a", job, both).token()).isGreaterThan(lost.token());
        shop.silence(Duration.ofMinutes(6));
        shop.shop().sweep();
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void anOwnerThatHasLostItsClaimCommitsNothing(Class<?> job) {
        long both = saved(job, "a", "b");
        TenantApplication.acting = (entity, context) -> {
            entity.note("never committed");
            // The owner is alive, so a heartbeat may come before the sweep.
            await().atMost(20, SECONDS).until(() -> {
                shop.silence(Duration.ofMinutes(6));
                return OwnThread.call(() -> shop.shop().sweep()).get(20, SECONDS) == 1;
            });
            return ActionResult.success();
        };

        assertThat(shop.close("a", job, id("a", job, both))).isInstanceOf(TransitionOutcome.ClaimLost.class);

        assertThat(status("a", job, both)).isEqualTo("OPEN");
        assertThat(status("b", job, both)).isEqualTo("OPEN");
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void orphansOfAllTenantsAreFreed(Class<?> job) {
        long both = saved(job, "a", "b");
        writeStatus("a", job, both, "CLOSING");
        writeStatus("b", job, both, "CLOSING");

        shop.bean(ClaimRecovery.class).adoptOrphans("jobs");
        shop.bean(ClaimRecovery.class).adoptOrphans("jobs");

        assertThat(shop.bean(ClaimService.class).list(10))
                .extracting(ClaimedRow::tenant)
                .containsExactlyInAnyOrder("a", "b");
        shop.silence(Duration.ofMinutes(6));
        assertThat(shop.shop().sweep()).isEqualTo(2);
        assertThat(status("a", job, both)).isEqualTo("OPEN");
        assertThat(status("b", job, both)).isEqualTo("OPEN");
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void theSameEffectKeyInTwoTenantsIsTwoKeys(Class<?> job) {
        long both = saved(job, "a", "b");
        String key = "key of " + both + job;

        for (String tenant : List.of("a", "b", "a", "b")) {
            TransitionRequest request = TransitionRequest.of(
                            TenantApplication.workflow(job), id(tenant, job, both), "close", Shop.ADMIN)
                    .effectKey(key);
            assertThat(shop.as(tenant, () -> shop.shop().workflows().run(request)))
                    .isInstanceOf(TransitionOutcome.Completed.class);
        }

        assertThat(executions).containsExactly(both + " in a", both + " in b");
        shop.awaitNoDueWork();
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void aRepeatedCallIsRecognizedAfterTheActionHasRemovedTheEntity(Class<?> job) {
        TenantApplication.acting = (entity, context) -> {
            executions.add("%s in %s".formatted(entity.number(), shop.tenants().current()));
            shop.bean(EntityManager.class).remove(entity);
            return ActionResult.success();
        };
        for (Requester requester : List.of(Shop.ADMIN, Shop.SYSTEM)) {
            long onlyA = saved(job, "a");
            TransitionRequest request = TransitionRequest.of(
                            TenantApplication.workflow(job), id("a", job, onlyA), "remove", requester)
                    .effectKey("remove %s of %s".formatted(onlyA, job));

            for (int call = 0; call < 2; call++) {
                assertThat(shop.as("a", () -> shop.shop().workflows().run(request)))
                        .isInstanceOf(TransitionOutcome.Completed.class);
            }
        }
        assertThat(executions).hasSize(2);
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void aClaimIsGrantedEvenIfTheAnswerToItsStatementIsLost(Class<?> job) {
        long both = saved(job, "a", "b");
        shop.shop()
                .interference()
                .with(Loss.ofAnswer(sql -> sql.contains("claim.flip")).behindTheFence());

        Claim claim = granted("a", job, both);

        shop.shop().interference().none();
        assertThat(shop.claims()).isOne();
        assertThat(shop.bean(ClaimService.class).release(claim)).isEqualTo(ClaimEnd.DONE);
    }

    @ParameterizedTest
    @MethodSource("jobs")
    @ExpectsErrors("Parked")
    void anAfterEffectIsRetriedAndParkedForItsTenant(Class<?> job) {
        long both = saved(job, "a", "b");
        TenantApplication.following = (entity, context) -> {
            followed.add("%s in %s".formatted(entity.number(), shop.tenants().current()));
            throw new IllegalStateException("offline");
        };

        shop.close("b", job, id("b", job, both));

        DueWork due = shop.bean(DueWork.class);
        await().atMost(30, SECONDS).until(() -> !due.parked("b", 10).isEmpty());
        assertThat(due.parked("a", 10)).isEmpty();
        assertThat(due.parked(null, 10)).singleElement().satisfies(parked -> {
            assertThat(parked.tenant()).isEqualTo("b");
            reset();
            assertThat(due.retry(parked.id(), "b", "a test")).isTrue();
        });
        shop.awaitNoDueWork();
        assertThat(followed).containsExactly(both + " in b");
    }

    @ParameterizedTest
    @MethodSource("jobs")
    @ExpectsErrors("could not free")
    void anUnavailableTenantBlocksNoOtherTenantAndLosesNoClaim(Class<?> job) {
        long both = saved(job, "a", "b");
        granted("a", job, both);
        granted("b", job, both);
        shop.silence(Duration.ofMinutes(6));

        shop.tenants().remove("a");
        try {
            assertThat(shop.shop().sweep()).isEqualTo(1);
            assertThat(shop.claims()).isOne();
            assertThat(status("b", job, both)).isEqualTo("OPEN");
            assertThat(stuck()).extracting(ClaimedRow::tenant).containsExactly("a");
        } finally {
            shop.tenants().add("a");
        }
        assertThat(shop.shop().sweep()).isEqualTo(1);
        assertThat(status("a", job, both)).isEqualTo("OPEN");
    }

    private List<ClaimedRow> stuck() {
        return shop.bean(ClaimRecovery.class).stuck("jobs", Duration.ofMinutes(5), 10);
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void releasingAClaimOfOneTenantKeepsTheClaimOfAnotherTenant(Class<?> job) {
        long both = saved(job, "a", "b");
        Claim ofA = granted("a", job, both);
        Claim ofB = granted("b", job, both);
        ClaimRecovery recoveries = shop.bean(ClaimRecovery.class);

        ClaimedRow row = recoveries.find(ofB.entity(), ofB.key(), "b").orElseThrow();
        assertThat(shop.bean(JanitorRegistry.class).sweepOf(row).orElseThrow().release(row, "a person"))
                .isEqualTo(ClaimRecovery.Recovered.FREED);

        assertThat(status("a", job, both)).isEqualTo("CLOSING");
        assertThat(status("b", job, both)).isEqualTo("OPEN");
        assertThat(recoveries.find(ofB.entity(), ofB.key(), "b")).isEmpty();
        assertThat(recoveries.find(ofA.entity(), ofA.key(), "a")).isPresent();
        assertThat(shop.bean(ClaimService.class).list("b", 10)).isEmpty();
        assertThat(shop.bean(ClaimService.class).release(ofA)).isEqualTo(ClaimEnd.DONE);
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void anActionThatDoesNotRestoreTheTenantCommitsNothing(Class<?> job) {
        long both = saved(job, "a", "b");
        TenantApplication.acting = (entity, context) -> {
            shop.tenants().leaveBehind("b");
            return ActionResult.success();
        };

        assertThatIllegalStateException()
                .isThrownBy(() -> shop.close("a", job, id("a", job, both)))
                .withMessageContaining("began for tenant 'a', but its code has changed the tenant to 'b'");

        assertThat(status("a", job, both)).isEqualTo("OPEN");
        assertThat(status("b", job, both)).isEqualTo("OPEN");
        assertThat(shop.claims()).isZero();
    }

    /** Asserts that no entity is claimed if Hibernate's current tenant is not the tenant of the call. */
    void assertNothingIsClaimedForAnotherTenantOfHibernate(Class<?> job) {
        long both = saved(job, "a", "b");
        TenantApplication.Resolver.mistake = "b";

        assertThatIllegalStateException()
                .isThrownBy(() -> shop.close("a", job, id("a", job, both)))
                .withMessageContaining("The current tenant is 'a' for the TenantContext and 'b' for Hibernate's");

        assertThat(shop.claims()).isZero();
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void theSweepLogsWhichSessionLocksTheEntityOfATenant(Class<?> job, CapturedOutput output) throws SQLException {
        long both = saved(job, "a", "b");
        granted("a", job, both);
        granted("b", job, both);
        shop.silence(Duration.ofMinutes(6));
        int before = output.getAll().length();
        try (TenantShop.Locked locked = shop.lock("a", lockAll("a", job))) {
            assertThat(shop.shop().sweep()).isEqualTo(1);
            assertThat(status("b", job, both)).isEqualTo("OPEN");
            assertThat(locked).isNotNull();
            assertThat(output.getAll().substring(before)).contains("and is held by [backend ");
        }
        assertThat(shop.shop().sweep()).isEqualTo(1);
    }
}
