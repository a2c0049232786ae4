package io.sagaspring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryState;
import io.sagaspring.listener.DurableListener;
import io.sagaspring.operations.OperationPerformed.Outcome;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.RunSchedule;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The operations on each kind of object, called from Java and over HTTP. Each call leaves one entry in the audit. */
@ExpectsErrors("Parked delivery mailer:")
class OperationsTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Operator ADA = Operator.named("ada");
    private static final List<OperationPerformed> events = new CopyOnWriteArrayList<>();

    private static TestDatabase database;
    private static Shop shop;

    static final class Tale implements DurableRun<String, String> {

        volatile boolean broken;

        @Override
        public String run(RunContext run, String input) {
            run.awaitSignal("go", String.class);
            return run.step("work", String.class, () -> {
                if (broken) {
                    throw new IllegalStateException("broken");
                }
                return input;
            });
        }
    }

    @RunSchedule(name = "tick", fixedRate = "1h", overlap = Overlap.ALLOW)
    static final class Tick implements DurableRun<Firing, @Nullable Void> {

        @Override
        public @Nullable Void run(RunContext run, Firing firing) {
            return null;
        }
    }

    record Placed(String orderId) {}

    static class Mailer {

        @DurableListener(id = "mailer", attempts = 1)
        void placed(Placed placed) {
            throw new IllegalStateException("down");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Everything {

        @Bean
        Tale tale() {
            return new Tale();
        }

        @Bean
        Tick tick() {
            return new Tick();
        }

        @Bean
        Mailer mailer() {
            return new Mailer();
        }

        @Bean
        RunQueue psp() {
            return RunQueue.named("psp").atOnce(50);
        }

        @Bean
        Http.Users users() {
            return new Http.Users();
        }
    }

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Everything.class),
                Http.ON_ANY_PORT,
                "management.endpoints.web.exposure.include=*",
                "management.endpoints.access.default=unrestricted",
                "saga.schedules.poll-interval=100ms");
        shop.context()
                .addApplicationListener(
                        ApplicationListener.forPayload((OperationPerformed event) -> events.add(event)));
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void empty() {
        shop.database().sql("TRUNCATE saga_audit").update();
        events.clear();
        shop.bean(Tale.class).broken = false;
    }

    /** Returns the only entry of the audit, which was also published. */
    private static OperationPerformed only() {
        List<AuditEntry> entries = shop.bean(AuditLog.class).list(AuditQuery.latest(10));
        assertThat(entries).hasSize(1);
        assertThat(events).containsExactly(entries.get(0).operation());
        shop.database().sql("TRUNCATE saga_audit").update();
        events.clear();
        return entries.get(0).operation();
    }

    private static void assertAudited(OperationResult result, String operation, String kind, Object id) {
        assertThat(only())
                .isEqualTo(new OperationPerformed(
                        operation,
                        new OperationTarget(kind, id.toString(), null),
                        ADA,
                        null,
                        Outcome.valueOf(result.result().name()),
                        result.message()));
    }

    private static RunId waiting() {
        RunId id = shop.bean(Runs.class).start(Tale.class, "input").id();
        awaitState(id, RunState.WAITING);
        return id;
    }

    private static void awaitState(RunId id, RunState state) {
        await().atMost(SOON)
                .until(() -> shop.bean(Runs.class).find(id).orElseThrow().state() == state);
    }

    @Test
    void aFailedRunIsRetriedAndItsEndRefusesEverything() {
        RunOperations operations = shop.bean(RunOperations.class);
        shop.bean(Tale.class).broken = true;
        RunId id = waiting();
        shop.bean(Runs.class).signal(id, "go", "now");
        awaitState(id, RunState.FAILED);
        shop.bean(Tale.class).broken = false;

        OperationResult retried = operations.retry(id, ADA);

        assertThat(retried.wasDone()).isTrue();
        assertAudited(retried, "run.retry", "run", id);
        awaitState(id, RunState.COMPLETED);
        OperationResult again = operations.retry(id, ADA);
        assertThat(again.result()).isEqualTo(OperationResult.Result.REFUSED);
        assertAudited(again, "run.retry", "run", id);
        OperationResult givenUp = operations.giveUp(id, ADA);
        assertThat(givenUp.result()).isEqualTo(OperationResult.Result.REFUSED);
        assertAudited(givenUp, "run.give-up", "run", id);
    }

    @Test
    void aRunIsCancelledWithAReason() {
        RunId id = waiting();

        OperationResult cancelled = shop.bean(RunOperations.class).cancel(id, "the customer called", ADA);

        assertThat(cancelled.wasDone()).isTrue();
        assertThat(only().reason()).isEqualTo("the customer called");
        awaitState(id, RunState.CANCELLED);
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().cancelReason())
                .isEqualTo("cancelled by 'ada': the customer called");
    }

    @Test
    void anUnknownRunIsAuditedAsUnknown() {
        RunId id = RunId.next();

        OperationResult result = shop.bean(RunOperations.class).resolveAsNotDone(id, "work", ADA);

        assertThat(result.result()).isEqualTo(OperationResult.Result.UNKNOWN);
        assertAudited(result, "run.not-done", "run", id);
    }

    @Test
    void aResultThatIsNotJsonAndAStepWithoutANameAreInvalid() {
        RunOperations operations = shop.bean(RunOperations.class);
        RunId id = RunId.next();

        assertThatThrownBy(() -> operations.resolveAsDone(id, "work", "no json", ADA))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("is not JSON");
        assertThat(only().outcome()).isEqualTo(Outcome.INVALID);
        assertThatThrownBy(() -> operations.resolveAsNotDone(id, " ", ADA))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("is not the name of a step");
        assertThat(only().operation()).isEqualTo("run.not-done");
    }

    @Test
    void aQueueIsPausedResumedAndLimited() {
        QueueOperations operations = shop.bean(QueueOperations.class);

        OperationResult paused = operations.pause("psp", "maintenance", ADA);
        assertThat(paused.message()).isEqualTo("The queue 'psp' is paused.");
        assertThat(only().reason()).isEqualTo("maintenance");
        assertThat(operations.pause("psp", "again", ADA).result()).isEqualTo(OperationResult.Result.REFUSED);
        assertThat(only().outcome()).isEqualTo(Outcome.REFUSED);
        OperationResult resumed = operations.resume("psp", ADA);
        assertThat(resumed.wasDone()).isTrue();
        assertAudited(resumed, "queue.resume", "queue", "psp");
        OperationResult limited = operations.limits("psp", 7, 2, "slow bank", ADA);
        assertThat(limited.message()).contains("at most 7 runs at once, and at most 2 of a key");
        assertThat(only().operation()).isEqualTo("queue.limits");
        assertThat(shop.bean(Runs.class).queue("psp").depth().limits().atOnce()).isEqualTo(7);
        assertThatThrownBy(() -> operations.limits("psp", -1, null, "", ADA))
                .isInstanceOf(InvalidOperationException.class);
        assertThat(only().outcome()).isEqualTo(Outcome.INVALID);
        OperationResult unknown = operations.resume("none", ADA);
        assertThat(unknown.result()).isEqualTo(OperationResult.Result.UNKNOWN);
        assertAudited(unknown, "queue.resume", "queue", "none");
    }

    @Test
    void aScheduleIsPausedTriggeredAndBackfilled() {
        ScheduleOperations operations = shop.bean(ScheduleOperations.class);
        await().atMost(SOON).until(() -> operations.resume("tick", ADA).result() == OperationResult.Result.REFUSED);
        empty();

        assertThat(operations.pause("tick", "holiday", ADA).wasDone()).isTrue();
        assertThat(only().reason()).isEqualTo("holiday");
        OperationResult triggered = operations.trigger("tick", ADA);
        assertAudited(triggered, "schedule.trigger", "schedule", "tick");
        OperationResult resumed = operations.resume("tick", ADA);
        assertThat(resumed.wasDone()).isTrue();
        assertAudited(resumed, "schedule.resume", "schedule", "tick");
        Instant from = Instant.parse("2026-01-01T00:00:00Z");
        OperationResult filled = operations.backfill("tick", from, from.plus(Duration.ofHours(3)), Overlap.ALLOW, ADA);
        assertThat(filled.message()).contains("runs started");
        assertAudited(filled, "schedule.backfill", "schedule", "tick");
        assertThatThrownBy(() -> operations.backfill("tick", from, from.minusSeconds(1), Overlap.ALLOW, ADA))
                .isInstanceOf(InvalidOperationException.class);
        assertThat(only().outcome()).isEqualTo(Outcome.INVALID);
        OperationResult declared = operations.remove("tick", ADA);
        assertThat(declared.result()).isEqualTo(OperationResult.Result.REFUSED);
        assertAudited(declared, "schedule.remove", "schedule", "tick");
        OperationResult unknown = operations.trigger("tock", ADA);
        assertThat(unknown.result()).isEqualTo(OperationResult.Result.UNKNOWN);
        assertAudited(unknown, "schedule.trigger", "schedule", "tock");
    }

    @Test
    void aParkedDeliveryIsRetriedAndGivenUp() {
        DeliveryOperations operations = shop.bean(DeliveryOperations.class);
        shop.context().publishEvent(new Placed("o-1"));
        long id = parked();

        OperationResult retried = operations.retry(id, ADA);
        assertThat(retried.wasDone()).isTrue();
        assertAudited(retried, "delivery.retry", "delivery", id);
        assertThat(parked()).isEqualTo(id);
        assertThat(operations.giveUp(id, "the order was cancelled", ADA).wasDone())
                .isTrue();
        assertThat(only().reason()).isEqualTo("the order was cancelled");
        OperationResult unknown = operations.giveUp(id, null, ADA);
        assertThat(unknown.result()).isEqualTo(OperationResult.Result.UNKNOWN);
        assertAudited(unknown, "delivery.give-up", "delivery", id);
        OperationResult none = operations.retry(id, ADA);
        assertAudited(none, "delivery.retry", "delivery", id);
    }

    private static long parked() {
        Deliveries deliveries = shop.bean(Deliveries.class);
        DeliveryQuery query = DeliveryQuery.in(DeliveryState.PARKED, 10);
        await().atMost(SOON).until(() -> deliveries.find(query).size() == 1);
        return deliveries.find(query).get(0).id();
    }

    @Test
    void parkedWorkIsRetriedAndGivenUp() {
        WorkOperations operations = shop.bean(WorkOperations.class);
        shop.database().sql("""
                INSERT INTO saga_due (queue, work_key, payload, due_at, parked_at, last_error)
                VALUES ('gone', 'a', '', clock_timestamp(), clock_timestamp(), 'down')""").update();
        long id = shop.database()
                .sql("SELECT id FROM saga_due WHERE queue = 'gone'")
                .query(Long.class)
                .single();

        OperationResult retried = operations.retry(id, null, ADA);
        assertThat(retried.wasDone()).isTrue();
        assertAudited(retried, "work.retry", "work", id);
        OperationResult again = operations.retry(id, null, ADA);
        assertThat(again.result()).isEqualTo(OperationResult.Result.UNKNOWN);
        assertAudited(again, "work.retry", "work", id);
        OperationResult givenUp = operations.giveUp(id, null, ADA);
        assertThat(givenUp.wasDone()).isTrue();
        assertAudited(givenUp, "work.give-up", "work", id);
    }

    @Test
    void anEntityWithoutAClaimIsAuditedAsUnknown() {
        ClaimRelease release = shop.bean(ClaimOperations.class).release("parcel", "4711", null, null, ADA);

        assertThat(release.result()).isEqualTo(ClaimRelease.Result.NOT_CLAIMED);
        assertThat(only())
                .isEqualTo(new OperationPerformed(
                        "claim.release",
                        new OperationTarget("claim", "parcel 4711", null),
                        ADA,
                        null,
                        Outcome.UNKNOWN,
                        release.message()));
    }

    @Test
    void aRequestToAnEndpointIsAuditedWithItsUser() throws Exception {
        RunId id = waiting();
        Http http = new Http(shop).as("Grace\nHopper");

        assertThat(http.send("DELETE", "/actuator/sagaruns/" + id).status()).isEqualTo(200);
        assertThat(only().operator()).isEqualTo(new Operator("Grace Hopper", Operator.Access.ACTUATOR));
        awaitState(id, RunState.CANCELLED);
        assertThat(http.send("POST", "/actuator/sagaruns/" + id).status()).isEqualTo(409);
        assertThat(only().outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(new Http(shop)
                        .send("DELETE", "/actuator/sagaclaims?entity=parcel&id=0")
                        .status())
                .isEqualTo(404);
        assertThat(only().operator()).isEqualTo(new Operator(null, Operator.Access.ACTUATOR));
        assertThat(http.send("POST", "/actuator/sagadue/0").status()).isEqualTo(404);
        assertThat(only().target()).isEqualTo(new OperationTarget("work", "0", null));
        assertThat(http.send("DELETE", "/actuator/sagadeliveries/0?reason=why").status())
                .isEqualTo(404);
        assertThat(only().reason()).isEqualTo("why");
        assertThat(http.post("/actuator/sagaqueues/psp", "{\"operation\":\"resume\"}")
                        .status())
                .isEqualTo(200);
        assertThat(only().operation()).isEqualTo("queue.resume");
        assertThat(http.send("DELETE", "/actuator/sagaschedules/tock").status()).isEqualTo(404);
        assertThat(only().operation()).isEqualTo("schedule.remove");
    }
}
