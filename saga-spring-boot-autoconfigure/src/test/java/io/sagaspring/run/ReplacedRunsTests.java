package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.queue.NoSuchQueueException;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests runs whose input a later start replaces, as long as they have not begun. */
class ReplacedRunsTests extends RunsOnPostgres {

    private static final RunQueue ONE_BY_ONE =
            RunQueue.named("index").atOnce(4).atOnceForEach(1).keepsPermits();
    private static final RunOptions REPLACEABLE =
            RunOptions.withKey("k").orReplace().in("index");
    private static final Duration LONG = Duration.ofHours(1);

    private RunNode.Builder builder(Tale tale) {
        return RunNode.on(schema, connections, "node-" + nodes.size())
                .queues(
                        ONE_BY_ONE,
                        RunQueue.named("other").atOnce(4),
                        RunQueue.named("freed").atOnceForEach(1))
                .tales(tale);
    }

    private RunNode openNode(Tale tale) {
        return added(builder(tale)).opened();
    }

    @Test
    void ofManyStartsTheFirstAndTheLatestInputAreExecuted() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        RunNode node = openNode(tale((run, input) -> run.step("index", String.class, () -> {
            begun.countDown();
            gate.await();
            return effect(input);
        })));
        RunHandle<String> first = node.runs.start(Tale.class, "0", REPLACEABLE);
        begun.await();

        List<RunHandle<String>> later = IntStream.rangeClosed(1, 5)
                .mapToObj(input -> node.runs.start(Tale.class, Integer.toString(input), REPLACEABLE))
                .toList();

        assertThat(first.outcome()).isEqualTo(StartOutcome.STARTED);
        assertThat(later.get(0).outcome()).isEqualTo(StartOutcome.STARTED);
        assertThat(later.get(0).isNew()).isTrue();
        assertThat(later.subList(1, 5)).allSatisfy(each -> {
            assertThat(each.outcome()).isEqualTo(StartOutcome.REPLACED);
            assertThat(each.isNew()).isFalse();
            assertThat(each.id()).isEqualTo(later.get(0).id());
        });
        assertThat(node.runs.find(Tale.class, "k"))
                .map(RunView::id)
                .contains(later.get(0).id());
        gate.countDown();
        assertThat(first.await(SOON)).isEqualTo("0");
        assertThat(later.get(4).await(SOON)).isEqualTo("5");
        assertThat(effects).containsExactly("0", "5");
        assertThat(node.events.stream().filter(RunEvent.REPLACED::equals)).hasSize(4);
        assertThat(node.events.stream().filter(RunEvent.STARTED::equals)).hasSize(2);
    }

    /** The run that waits keeps the permit of its key, so the next one has to wait, too. */
    @Test
    void theNextRunDoesNotBeginWhileTheFirstOneWaits() throws Exception {
        RunNode node = openNode(tale((run, input) -> {
            if (input.equals("first")) {
                effect(run.awaitSignal("go", String.class));
            }
            return effect(input);
        }));
        RunId first = node.runs.start(Tale.class, "first", REPLACEABLE).id();
        awaitState(node, first, RunState.WAITING);

        RunHandle<String> second = node.runs.start(Tale.class, "second", REPLACEABLE);
        RunHandle<String> other = node.runs.start(
                Tale.class, "other", RunOptions.withKey("k2").orReplace().in("index"));

        assertThat(other.await(SOON)).isEqualTo("other");
        assertThat(stateOf(node, second.id())).isEqualTo(RunState.PENDING);
        SignalResult unused = node.runs.signal(first, "go", "signalled");
        assertThat(second.await(SOON)).isEqualTo("second");
        assertThat(effects).containsExactly("other", "signalled", "first", "second");
    }

    /** The second start waits until the first one has committed, and then sees the labels of the first one. */
    @Test
    void aRunHasOnlyTheLabelsOfTheLatestOfTwoStartsAtTheSameTime() throws Exception {
        RunNode node = added(builder(tale((run, input) -> input)));
        RunId id = node.runs.start(Tale.class, "one", REPLACEABLE).id();
        AtomicReference<@Nullable CompletableFuture<RunHandle<String>>> waiting = new AtomicReference<>();

        transaction.executeWithoutResult(status -> {
            RunHandle<String> unused = node.runs.start(Tale.class, "two", REPLACEABLE.andLabel("second", "2"));
            waiting.set(CompletableFuture.supplyAsync(
                    () -> node.runs.start(Tale.class, "three", REPLACEABLE.andLabel("third", "3"))));
            await().atMost(SOON)
                    .until(() -> jdbc.sql("SELECT count(*) FROM pg_locks WHERE NOT granted")
                                    .query(Long.class)
                                    .single()
                            > 0);
        });

        assertThat(Objects.requireNonNull(waiting.get())
                        .get(20, TimeUnit.SECONDS)
                        .id())
                .isEqualTo(id);
        assertThat(node.runs.find(id)).map(RunView::labels).contains(Map.of("third", "3"));
    }

    @Test
    void aReplacedRunHasTheOptionsOfTheLatestStart() {
        RunNode node = added(builder(tale((run, input) -> input)));
        RunId id = node.runs
                .start(Tale.class, "one", REPLACEABLE.andLabel("customer", "1").andLabel("country", "de"))
                .id();

        RunHandle<String> again = node.runs.start(
                Tale.class,
                "two",
                REPLACEABLE.andLabel("customer", "2").andWithin(LONG).urgent(7));

        assertThat(again.id()).isEqualTo(id);
        assertThat(node.runs.find(id).orElseThrow().labels()).isEqualTo(Map.of("customer", "2"));
        assertThat(jdbc.sql("SELECT priority FROM saga_run")
                        .query(Integer.class)
                        .single())
                .isEqualTo(7);
        assertThat(jdbc.sql("SELECT deadline_at > clock_timestamp() FROM saga_run")
                        .query(Boolean.class)
                        .single())
                .isTrue();
        assertThat(jdbc.sql("SELECT queue_key FROM saga_run")
                        .query(String.class)
                        .single())
                .isEqualTo("k");
    }

    @Test
    void aReplacementThatIsRolledBackLeavesTheInput() throws Exception {
        RunNode node = openNode(tale((run, input) -> effect(input)));
        RunOptions later = REPLACEABLE.andAfter(LONG);
        RunHandle<String> first = node.runs.start(Tale.class, "one", later);

        transaction.executeWithoutResult(status -> {
            assertThat(node.runs.start(Tale.class, "two", later).outcome()).isEqualTo(StartOutcome.REPLACED);
            status.setRollbackOnly();
        });
        Passing.pauseOf(first.id(), jdbc);

        assertThat(first.await(SOON)).isEqualTo("one");
        assertThat(node.events).doesNotContain(RunEvent.REPLACED);
    }

    @Test
    void aRunDoesNotBeginWhileAStartHasReplacedItsInputInAnOpenTransaction() throws Exception {
        RunNode node = added(builder(tale((run, input) -> effect(input))));
        RunHandle<String> first = node.runs.start(Tale.class, "one", REPLACEABLE);

        transaction.executeWithoutResult(status -> {
            assertThat(node.runs.start(Tale.class, "two", REPLACEABLE).id()).isEqualTo(first.id());
            RunNode unused = node.opened();
            await().during(Duration.ofMillis(600)).atMost(SOON).until(effects::isEmpty);
        });

        assertThat(first.await(SOON)).isEqualTo("two");
        assertThat(effects).containsExactly("two");
    }

    @Test
    void aRunBeginsWhenNoStartHasComeForAWhile() throws Exception {
        RunNode node = openNode(tale((run, input) -> effect(input)));
        RunOptions quiet =
                RunOptions.withKey("k").quietFor(LONG, LONG.multipliedBy(2)).in("index");
        RunOptions briefly =
                RunOptions.withKey("k").quietFor(Duration.ofMillis(400), LONG).in("index");

        RunHandle<String> last = node.runs.start(Tale.class, "0", quiet);
        for (int input = 1; input < 20; input++) {
            last = node.runs.start(Tale.class, Integer.toString(input), input == 19 ? briefly : quiet);
        }

        assertThat(last.outcome()).isEqualTo(StartOutcome.REPLACED);
        assertThat(last.await(SOON)).isEqualTo("19");
        assertThat(effects).containsExactly("19");
    }

    /** Without the upper limit, this stream of starts would never end. */
    @Test
    void anEndlessStreamOfStartsDoesNotKeepTheRunFromBeginning() {
        RunNode node = openNode(tale((run, input) -> effect(input)));
        RunOptions quiet = RunOptions.withKey("k")
                .quietFor(Duration.ofSeconds(40), Duration.ofSeconds(40))
                .in("index");
        RunOptions soon = RunOptions.withKey("k")
                .quietFor(Duration.ofMillis(300), Duration.ofMillis(300))
                .in("index");
        RunId id = node.runs.start(Tale.class, "first", quiet).id();

        await().atMost(SOON).until(() -> {
            boolean hasBegun = !effects.isEmpty();
            if (!hasBegun) {
                RunHandle<String> unused = node.runs.start(Tale.class, "again", soon);
            }
            return hasBegun;
        });

        assertThat(stateOf(node, id)).isIn(RunState.RUNNING, RunState.COMPLETED);
        assertThat(effects).contains("again");
    }

    @Test
    void optionsThatCannotWorkTogetherAreRefused() {
        Duration second = Duration.ofSeconds(1);
        RunOptions key = RunOptions.withKey("k");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RunOptions.none().orReplace())
                .withMessage(
                        "orReplace() has no effect without a key. Call withKey(\"…\") or andKey(\"…\") before it.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RunOptions.none().quietFor(second, second))
                .withMessageStartingWith("quietFor(…) has no effect without a key.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key.whileOpen().orReplace())
                .withMessage(
                        "The key 'k' cannot both be free when its run begins and stay taken until the run has ended. Call either whileOpen() or orReplace().");
        assertThatIllegalArgumentException().isThrownBy(() -> key.orReplace().whileOpen());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key.quietFor(second, Duration.ofMillis(999)))
                .withMessage(
                        "The quiet time of a run is 1 s, and its longest wait is 999 ms. The quiet time must be positive, and not longer than the longest wait.");
        assertThatIllegalArgumentException().isThrownBy(() -> key.quietFor(Duration.ZERO, second));
        assertThatIllegalArgumentException().isThrownBy(() -> key.quietFor(second.negated(), second));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key.andAfter(second).quietFor(second, second))
                .withMessage(
                        "quietFor(…) decides when the run begins, and so do after(…) and at(…). Call only one of them.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key.quietFor(second, second).andAfter(second));
        assertThat(key.quietFor(second, second).quietFor(second, LONG).startTime())
                .isEqualTo(StartTime.quietFor(second, LONG));
    }

    @Test
    void aQueueThatMayExecuteTwoRunsOfAKeyIsRefused() {
        RunNode node = added(builder(tale((run, input) -> input)));
        RunOptions key = RunOptions.withKey("k").orReplace();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.runs.start(Tale.class, "", key))
                .withMessage(
                        "orReplace() and quietFor(…) need a queue, so that the next run with the key begins only after this one has ended. Call in(\"…\") with a queue that has atOnceForEach(1) and keepsPermits().");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.runs.start(Tale.class, "", key.in("other")))
                .withMessageStartingWith("The queue 'other' (")
                .withMessageEndingWith(
                        "Declare it with atOnceForEach(1) and keepsPermits(), or call in(\"…\") with another queue.");
        assertThatIllegalArgumentException().isThrownBy(() -> node.runs.start(Tale.class, "", key.in("freed")));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> node.runs.start(Tale.class, "", key.in("index").of("tenant")))
                .withMessage(
                        "The key 'tenant' within the queue was set with of(…), but orReplace() and quietFor(…) use the key of the run within the queue. Remove of(…).");
        assertThat(catchThrowable(() -> node.runs.start(Tale.class, "", key.in("unknown"))))
                .isInstanceOf(NoSuchQueueException.class);
        assertThat(node.runs.list(RunQuery.all())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"before", "waiting"})
    void aStartAfterACancellationCreatesANewRun(String moment) throws Exception {
        RunNode node = openNode(tale((run, input) -> effect(input)));
        boolean isPaused = node.runs.queue("index").pause("test");
        assertThat(isPaused).isTrue();
        RunOptions options = moment.equals("before") ? REPLACEABLE.andAfter(LONG) : REPLACEABLE;
        RunId first = node.runs.start(Tale.class, "one", options).id();
        assertThat(node.runs.cancel(first, "not needed")).isTrue();

        RunHandle<String> second = node.runs.start(Tale.class, "two", REPLACEABLE);
        assertThat(node.runs.queue("index").resume()).isTrue();

        assertThat(second.outcome()).isEqualTo(StartOutcome.STARTED);
        assertThat(second.await(SOON)).isEqualTo("two");
        awaitState(node, first, RunState.CANCELLED);
        assertThat(effects).containsExactly("two");
    }
}
