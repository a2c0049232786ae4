package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.RunStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of every store of runs, in the form of tests. Extend this class to test your own store. Implement the
 * methods that return the store and let time pass in it:
 *
 * <pre>{@code
 * class MyRunStoreTests extends RunStoreContract {
 *
 *     @Override
 *     protected RunStore store() {
 *         return new MyRunStore(server, "one", LEASE, RETENTION);
 *     }
 *
 *     @Override
 *     protected RunStore another() {
 *         return new MyRunStore(server, "another", LEASE, RETENTION);
 *     }
 *
 *     @Override
 *     protected void pass(Duration duration) {
 *         server.setBack(duration);
 *     }
 * }
 * }</pre>
 *
 * <p>The tests may share one store, because each of them uses new names and ids. They must not run at the same time,
 * because time passes for all of them. The contract does not test whether a start or a checkpoint joins the caller's
 * transaction.
 *
 * @since 0.1.0
 */
public abstract class RunStoreContract extends LabelContract {

    /** Creates the contract for the store of the subclass. */
    protected RunStoreContract() {}

    @Test
    void aDueRunIsPickedUpByOneNode() throws Exception {
        for (int round = 0; round < 15; round++) {
            Set<RunId> due = new HashSet<>();
            for (int each = 0; each < 20; each++) {
                due.add(started());
            }
            List<Callable<List<PickedUpRun>>> racing = IntStream.range(0, RACERS)
                    .<Callable<List<PickedUpRun>>>mapToObj(racer -> () -> {
                        RunStore store = racer % 2 == 0 ? store() : another();
                        List<PickedUpRun> all = new ArrayList<>();
                        for (int each = 0; each < 5; each++) {
                            all.addAll(store.take(known, 4, MANY));
                        }
                        return all;
                    })
                    .toList();

            List<PickedUpRun> pickedUp =
                    race(racing).stream().flatMap(List::stream).toList();

            assertThat(pickedUp).extracting(each -> each.runLease().id()).doesNotHaveDuplicates();
            assertThat(due)
                    .containsAll(
                            pickedUp.stream().map(each -> each.runLease().id()).toList());
            store().take(known, MANY, MANY)
                    .forEach(each -> assertThat(due).contains(each.runLease().id()));
            assertThat(due).allSatisfy(id -> assertThat(row(id).attempt()).isOne());
        }
    }

    @Test
    void aRunIsPickedUpByItsIdByOneNode() throws Exception {
        for (int round = 0; round < 30; round++) {
            RunId id = round % 2 == 0 ? started() : runLease().id();
            pass(LEASE);

            assertThat(race(RACERS, () -> another().take(id, known, MANY).isPresent()))
                    .containsOnlyOnce(true);
        }
    }

    /** Either the run learns of the signal or the cancellation before it waits, or the run becomes due immediately. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSignalOrCancellationSentAsAWaitBeginsIsNotLost(boolean cancelled) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 100; round++) {
                RunLease runLease = runLease();
                List<Boolean> answers = race(
                        threads,
                        List.of(
                                () -> suspended(runLease, null),
                                () -> (cancelled
                                                ? another().cancel(runLease.id(), "enough")
                                                : another().signal(runLease.id(), "paid", "1", stored("1")))
                                        == Answer.ACCEPTED));

                assertThat(answers.get(1)).isTrue();
                if (answers.get(0)) {
                    assertThat(isPickedUp(runLease.id())).isTrue();
                } else {
                    assertThat(store().checkpoint(runLease, List.of()).signals())
                            .isOne();
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void onlyOneOfManySignalsWithAKeyIsAccepted() throws Exception {
        RunId id = started();
        for (int round = 0; round < 30; round++) {
            String key = "key-" + round;

            assertThat(race(RACERS, () -> another().signal(id, "paid", key, stored("1"))))
                    .containsOnlyOnce(Answer.ACCEPTED)
                    .containsOnly(Answer.ACCEPTED, Answer.REPEATED);
        }
        assertThat(store().signals(id, "paid")).hasSize(30);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReplySentAsAWaitBeginsIsNotLost(boolean isLast) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 100; round++) {
                RunLease runLease = runLease();
                RunReply reply = isLast ? last("answer", "1", "1") : further("answer", null, "1");
                List<Boolean> answers = race(
                        threads,
                        List.of(
                                () -> suspended(runLease, null),
                                () -> another().reply(runLease.id(), reply) == Answer.ACCEPTED));

                assertThat(answers.get(1)).isTrue();
                if (answers.get(0)) {
                    assertThat(isPickedUp(runLease.id())).isTrue();
                } else {
                    assertThat(store().checkpoint(runLease, List.of())).isEqualTo(afterSignals(1));
                }
                assertThat(replies(store(), runLease.id(), "answer")).containsExactly("text:1");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Either the reply is accepted and the run receives it, or the reply is rejected and the wait ends without it. */
    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"SIGNAL", "STOP", "STOP_AMID"})
    void eitherAReplyIsAcceptedOrTheWaitIsConcluded(Call call) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 100; round++) {
                RunLease runLease = runLease();
                RunReply reply = round % 2 == 0 ? last("answer", "1", "1") : further("answer", null, "1");
                List<JournalEntry> conclusion =
                        List.of(entry(0, "answer", call, call == Call.SIGNAL ? Mark.TIMED_OUT : Mark.DONE, null));
                List<Boolean> answers = race(
                        threads,
                        List.of(
                                () -> store().conclude(runLease, conclusion, afterSignals(0)),
                                () -> another().reply(runLease.id(), reply) == Answer.ACCEPTED));

                assertThat(answers).containsExactlyInAnyOrder(true, false);
                assertThat(journal(runLease.id())).isEqualTo(answers.get(0) ? texts(conclusion) : List.of());
                assertThat(store().signals(runLease.id(), "answer")).hasSize(answers.get(1) ? 1 : 0);
                assertThat(store().checkpoint(runLease, List.of())).isEqualTo(afterSignals(answers.get(1) ? 1 : 0));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /**
     * A reply that was accepted before the compensation began is counted in the control state that the run receives. A
     * later reply is rejected.
     */
    @Test
    void aReplySentAsACompensationBeginsIsCountedOrRefused() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < 100; round++) {
                RunLease runLease = runLease();
                List<Boolean> answers = race(
                        threads,
                        List.of(
                                () -> store().compensate(runLease, done(0, 1)).signals() == 1,
                                () -> another().reply(runLease.id(), last("answer", "1", "1")) == Answer.ACCEPTED));

                assertThat(answers.get(0)).isEqualTo(answers.get(1));
                assertThat(store().signals(runLease.id(), "answer")).hasSize(answers.get(1) ? 1 : 0);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void onlyOneOfManyLastRepliesIsAccepted() throws Exception {
        RunId id = started();
        for (int round = 0; round < 30; round++) {
            String wait = "answer-" + round;
            List<Answer> keyless = race(RACERS, () -> another().reply(id, last(wait, null, "1")));
            assertThat(keyless).containsOnlyOnce(Answer.ACCEPTED).containsOnly(Answer.ACCEPTED, Answer.TOO_LATE);

            String repeated = "key-" + round;
            assertThat(race(RACERS, () -> another().reply(id, further("any", repeated, "1"))))
                    .containsOnlyOnce(Answer.ACCEPTED)
                    .containsOnly(Answer.ACCEPTED, Answer.REPEATED);
            assertThat(store().signals(id, wait)).hasSize(1);
        }
        assertThat(store().signals(id, "any")).hasSize(30);
    }

    /**
     * The write of a previous owner is either refused, or in the journal that the next owner receives. So a step whose
     * result was stored is not executed again. The test starts 40 more runs only to make the pick-up slower.
     */
    @Test
    void aWriteDuringATakeoverIsHandedOverOrRefused() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (int each = 0; each < 40; each++) {
                started();
            }
            for (int round = 0; round < 100; round++) {
                RunLease runLease = runLease();
                pass(LEASE);
                List<List<String>> written = race(
                        threads,
                        List.of(
                                () -> {
                                    try {
                                        ControlState unused = store().checkpoint(runLease, done(0, 1));
                                        return texts(done(0, 1));
                                    } catch (FencedException fencedOff) {
                                        return List.of();
                                    }
                                },
                                () -> another().take(known, MANY, MANY).stream()
                                        .filter(pickedUp ->
                                                pickedUp.runLease().id().equals(runLease.id()))
                                        .findFirst()
                                        .map(pickedUp -> texts(pickedUp.journal()))
                                        .orElse(List.of("not picked up"))));

                if (!written.get(1).equals(List.of("not picked up"))) {
                    assertThat(written.get(1)).isEqualTo(written.get(0));
                }
                assertThat(journal(runLease.id())).isEqualTo(written.get(0));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Whatever the order of the calls, their results match the model, which is too simple to be wrong. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyHistoryMatchesTheModel(long seed) throws Exception {
        Random random = new Random(seed);
        for (int history = 0; history < 5; history++) {
            new RunHistory(this, seed, random).run(60);
        }
    }
}
