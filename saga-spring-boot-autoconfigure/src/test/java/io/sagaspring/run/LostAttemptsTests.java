package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An attempt whose entry is lost, or whose node has lost the run, is made again. No attempt is counted twice. */
class LostAttemptsTests extends RunsOnPostgres {

    private final AtomicInteger tries = new AtomicInteger();

    private static Step charge(Retry policy) {
        return Step.of("charge").retry(policy);
    }

    private static List<String> marks(RunNode node, RunId id) {
        return node.runs.find(id).orElseThrow().steps().stream()
                .map(RunView.StepView::mark)
                .toList();
    }

    private String failing(RunContext run, int failures) {
        effect(run.idempotencyKey());
        if (tries.incrementAndGet() <= failures) {
            throw new IllegalStateException("busy " + tries);
        }
        return "done";
    }

    /**
     * Loses the connection when the run first suspends, either before the statement is executed or before its answer
     * arrives.
     */
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void anAttemptWhoseEntryIsLostIsMadeAgain(boolean isAnswerLost, boolean transactional) throws Exception {
        AtomicBoolean isLost = new AtomicBoolean();
        Interference interference = new Interference();
        interference.with(new Around() {
            @Override
            public void before(String sql, Connection connection) throws SQLException {
                lose(sql, !isAnswerLost);
            }

            @Override
            public void after(String sql, Connection connection) throws SQLException {
                lose(sql, isAnswerLost);
            }

            private void lose(String sql, boolean here) throws SQLException {
                if (here && sql.contains("saga:run.suspend") && isLost.compareAndSet(false, true)) {
                    throw Interference.connectionLost();
                }
            }
        });
        RunNode node = added(RunNode.on(schema, interference.watched(connections), "node")
                        .tales(tale((run, input) -> {
                            Step step = charge(retry().max(3).delay(Duration.ofMillis(1)));
                            return transactional
                                    ? run.transactionalStep(step, String.class, () -> failing(run, 2))
                                    : run.step(step, String.class, () -> failing(run, 2));
                        })))
                .opened();
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        await().atMost(SOON).untilTrue(isLost);
        Passing.pauseOf(handle.id(), jdbc);

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(effects).hasSize(3).containsOnly(handle.id() + ":charge");
        assertThat(Collections.frequency(marks(node, handle.id()), "attempt_failed"))
                .isBetween(1, 2);
        assertThat(marks(node, handle.id())).endsWith("done");
    }

    /** The previous owner fails its attempt after the next node has made the attempt successfully. */
    @ParameterizedTest
    @ValueSource(longs = {0, 3_600_000})
    void aFailedAttemptOfAPreviousOwnerIsNotJournaled(long pause) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch failing = new CountDownLatch(1);
        Tale.Code code = (run, input) -> run.step(
                charge(retry().max(3).delay(Duration.ofMillis(pause)).maxDelay(Duration.ofDays(1))),
                String.class,
                () -> {
                    if (tries.incrementAndGet() == 1) {
                        entered.countDown();
                        assertThat(failing.await(20, TimeUnit.SECONDS)).isTrue();
                        throw new IllegalStateException("busy");
                    }
                    return "done";
                });
        RunNode previous = node(tale(code));
        RunHandle<String> handle = previous.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        RunNode next = quietNode(tale(code));
        endLease(handle.id());
        assertThat(next.engine.resume(handle.id())).isNotNull();
        awaitState(next, handle.id(), RunState.COMPLETED);

        failing.countDown();
        await().atMost(SOON).until(() -> previous.events.contains(RunEvent.LEFT));

        assertThat(marks(next, handle.id())).containsExactly("done");
        assertThat(tries).hasValue(2);
    }

    /**
     * The node died in the second attempt, and the database failed over to a server whose clock is behind. If the run
     * waited again, a later cancellation would say that no attempt was in progress.
     */
    @Test
    void anAttemptThatMayHaveBegunIsNotPostponed() throws Exception {
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Tale.Code code = (run, input) -> run.step(charge(retry().delay(Duration.ofMillis(1))), String.class, () -> {
            int attempt = tries.incrementAndGet();
            if (attempt == 1) {
                throw new IllegalStateException("busy");
            }
            if (attempt == 2) {
                second.countDown();
                assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
            }
            return "done";
        });
        RunNode dead = node(tale(code));
        RunHandle<String> handle = dead.runs.start(Tale.class, "");
        assertThat(second.await(20, TimeUnit.SECONDS)).isTrue();
        jdbc.sql("UPDATE saga_step SET until = clock_timestamp() + INTERVAL '1 hour'")
                .update();
        RunNode next = quietNode(tale(code));
        endLease(handle.id());

        assertThat(next.engine.resume(handle.id())).isNotNull();

        awaitState(next, handle.id(), RunState.COMPLETED);
        assertThat(tries).hasValue(3);
        end.countDown();
    }

    @Test
    void aRetriedTransactionalStepStartsAnotherRunOnce() throws Exception {
        Tale child = new Tale("child", (run, input) -> "born");
        List<RunNode> started = new ArrayList<>();
        RunNode node = added(
                RunNode.on(schema, connections, "node").beans(List.of(new Parent(started, tries), new Child(child))));
        started.add(node);
        node.opened();
        RunHandle<String> handle = node.runs.start(Parent.class, "");

        assertThat(handle.await(SOON)).isEqualTo("done");
        assertThat(tries).hasValue(3);
        assertThat(jdbc.sql("SELECT count(*) FROM saga_run WHERE run = 'child'")
                        .query(Integer.class)
                        .single())
                .isOne();
    }

    record Parent(List<RunNode> node, AtomicInteger tries) implements DurableRun<String, String> {

        @Override
        public String name() {
            return "parent";
        }

        @Override
        public String run(RunContext run, String input) {
            return run.transactionalStep(charge(retry().max(3).delay(Duration.ZERO)), String.class, () -> {
                var unused = node.get(0).runs.start(Child.class, "", RunOptions.withKey(run.idempotencyKey()));
                if (tries.incrementAndGet() < 3) {
                    throw new IllegalStateException("busy");
                }
                return "done";
            });
        }
    }

    record Child(Tale tale) implements DurableRun<String, String> {

        @Override
        public String name() {
            return "child";
        }

        @Override
        public String run(RunContext run, String input) throws Exception {
            return tale.run(run, input);
        }
    }

    /** Attempts that fail at the same moment share a commit. */
    @Test
    void runsThatFailAtTheSameTimeHaveSeparateAttempts() throws Exception {
        Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .slots(16)
                        .tales(tale((run, input) -> run.step(
                                charge(retry().max(4)
                                        .delay(Duration.ofMillis(2))
                                        .jitter()),
                                String.class,
                                () -> {
                                    AtomicInteger mine = attempts.computeIfAbsent(input, each -> new AtomicInteger());
                                    if (mine.incrementAndGet() <= 3) {
                                        throw new IllegalStateException("busy");
                                    }
                                    return input;
                                }))))
                .opened();
        List<RunHandle<String>> handles = new ArrayList<>();
        for (int each = 0; each < 40; each++) {
            handles.add(node.runs.start(Tale.class, "run " + each));
        }

        for (int each = 0; each < handles.size(); each++) {
            assertThat(handles.get(each).await(SOON)).isEqualTo("run " + each);
            assertThat(marks(node, handles.get(each).id()))
                    .containsExactly("attempt_failed", "attempt_failed", "attempt_failed", "done");
        }
        assertThat(attempts.values()).allSatisfy(mine -> assertThat(mine).hasValue(4));
    }
}
