package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.sagaspring.due.Backlog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** An operator can see the current step of each run, and the runs that wait for a node. */
@ExtendWith(OutputCaptureExtension.class)
class RunningStepsTests extends RunsOnPostgres {

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch hangs = new CountDownLatch(1);
    private volatile @Nullable Thread charging;
    private final Tale tale = new Tale("tale", (run, input) -> {
        run.step("before", () -> {});
        run.step("charge", () -> {
            charging = Thread.currentThread();
            entered.countDown();
            boolean done = false;
            while (!done) {
                try {
                    hangs.await();
                    done = true;
                } catch (InterruptedException ignored) {
                    // Ignores the interrupt, like a driver that retries its connection.
                }
            }
        });
        return "";
    });

    @AfterEach
    void release() {
        hangs.countDown();
    }

    private RunId startCharging(RunNode node) throws InterruptedException {
        RunId id = node.opened().runs.start(Tale.class, "").id();
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        Thread waiting = Objects.requireNonNull(charging);
        await().atMost(20, TimeUnit.SECONDS).until(() -> waiting.getState() == Thread.State.WAITING);
        return id;
    }

    @Test
    void theViewOfARunShowsTheCurrentStepAndItsStartTime() throws Exception {
        try (RunNode node = RunNode.on(schema, connections, "node").tales(tale).build();
                RunNode other =
                        RunNode.on(schema, connections, "other").tales(tale).build()) {
            RunId id = startCharging(node);

            RunView view = node.runs.find(id).orElseThrow();
            assertThat(view.current()).isNotNull();
            assertThat(view.current().step()).isEqualTo("charge");
            assertThat(view.current().since())
                    .isBetween(view.since(), Instant.now().plusSeconds(1));
            assertThat(node.runs.list(new RunQuery(null, Set.of(RunState.RUNNING), null, 10)))
                    .singleElement()
                    .isEqualTo(new RunView(
                            id,
                            "tale",
                            null,
                            null,
                            RunState.RUNNING,
                            "node",
                            1,
                            null,
                            null,
                            view.startedAt(),
                            view.dueAt(),
                            null,
                            view.startedAt(),
                            Map.of(),
                            view.current(),
                            List.of()));
            assertThat(other.runs.find(id).orElseThrow()).satisfies(seen -> {
                assertThat(seen.current()).isNull();
                assertThat(seen.node()).isEqualTo("node");
                assertThat(seen.since()).isEqualTo(view.startedAt());
            });

            hangs.countDown();
            await().atMost(SOON).until(() -> node.runs.find(id).orElseThrow().state() == RunState.COMPLETED);
            assertThat(node.runs.find(id).orElseThrow().current()).isNull();
        }
    }

    @Test
    void aHangingStepIsLoggedOnceWithItsStackTrace(CapturedOutput output) throws Exception {
        try (RunNode node = RunNode.on(schema, connections, "node")
                .slowStep(Duration.ZERO)
                .tales(tale)
                .build()) {
            RunId id = startCharging(node);

            node.keeper.beat();
            node.keeper.beat();

            assertThat(output.getAll().split("A step has not returned yet", -1)).hasSize(2);
            assertThat(output)
                    .contains("occupies a slot. Run %s of 'tale', in step 'charge' for ".formatted(id))
                    .contains("CountDownLatch.await", "RunningStepsTests");
            hangs.countDown();
        }
    }

    @Test
    void aClosingNodeLogsTheWorkThatIgnoresTheInterrupt(CapturedOutput output) throws Exception {
        RunId id;
        try (RunNode node = RunNode.on(schema, connections, "node").tales(tale).build()) {
            id = startCharging(node);
        }

        assertThat(output)
                .containsPattern(
                        "Shutting down, although some work of the background thread saga-runs continues after it was interrupted. Another node will do this work again after 30 s. Unfinished work: "
                                + "Run %s of 'tale', in step 'charge' for .*".formatted(id));
    }

    @Test
    void dueRunsAreCountedEvenIfTheirCodeIsGone() throws Exception {
        try (RunNode before = RunNode.on(schema, connections, "node")
                        .tales(new Tale("gone", (run, input) -> ""))
                        .build();
                RunNode full = RunNode.on(schema, connections, "node")
                        .slots(1)
                        .tales(tale)
                        .build()) {
            before.runs.start(Tale.class, "");
            assertThat(full.engine.freeSlots()).isOne();
            startCharging(full);
            full.runs.start(Tale.class, "");
            jdbc.sql("UPDATE saga_run SET due_at = due_at - INTERVAL '1 hour' WHERE state = 'pending'")
                    .update();

            assertThat(full.engine.freeSlots()).isZero();
            assertThat(full.engine.backlog())
                    .extracting(Backlog::kind, Backlog::known, Backlog::due)
                    .containsExactlyInAnyOrder(tuple("gone", false, 1), tuple("tale", true, 1));
            assertThat(full.engine.backlog())
                    .allSatisfy(each -> assertThat(each.oldest()).isGreaterThan(Duration.ofMinutes(59)));
            hangs.countDown();
        }
    }

    @Test
    void aRunIsFoundByItsKey() {
        try (RunNode node = RunNode.on(schema, connections, "node")
                .tales(new Tale("tale", (run, input) -> ""))
                .build()) {
            RunId id = node.runs
                    .start(Tale.class, "", RunOptions.withKey("order-7"))
                    .id();

            assertThat(node.runs.find(Tale.class, "order-7"))
                    .hasValueSatisfying(run -> assertThat(run.id()).isEqualTo(id));
            assertThat(node.runs.find(Tale.class, "order-8")).isEmpty();
        }
    }
}
