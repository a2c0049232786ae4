package io.sagaspring.run.postgres;

import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.StoredValue;
import io.sagaspring.shop.OwnThread;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

class GroupCommitTests {

    /** Not a measure: each error can keep the others waiting for 50 ms. */
    private static final Duration BOUND = Duration.ofSeconds(60);

    private static final int MOST_COMMITS = 4;

    /** A commit that ends when the test says so, and as it says. */
    private record Parked(List<Change.Start> changes, CompletableFuture<Consumer<List<Change.Start>>> ending) {

        List<String> names() {
            return changes.stream().map(each -> each.run().run()).toList();
        }

        void end() {
            endBy(GroupCommitTests::answerAll);
        }

        void endBy(Consumer<List<Change.Start>> outcome) {
            boolean unused = ending.complete(outcome);
        }
    }

    /** Somebody who wants to write, on a thread of its own. */
    private static final class Writer {

        private final CompletableFuture<Thread> thread = new CompletableFuture<>();
        private final CompletableFuture<String> made;

        Writer(Supplier<String> making) {
            this.made = OwnThread.call(() -> {
                thread.complete(Thread.currentThread());
                return making.get();
            });
        }

        String answer() throws Exception {
            return made.get(BOUND.toSeconds(), SECONDS);
        }

        Writer queued() {
            waitUntil(this::isQueued);
            return this;
        }

        /** It has been added to those who wait before it parks. */
        private boolean isQueued() throws Exception {
            Object blocker = LockSupport.getBlocker(thread.get(BOUND.toSeconds(), SECONDS));
            return blocker != null && blocker.getClass().getEnclosingClass() == GroupCommit.class;
        }
    }

    private final List<Parked> commits = new CopyOnWriteArrayList<>();
    private final Map<String, Thread> alone = new ConcurrentHashMap<>();
    private final CompletableFuture<String> directAnswer = new CompletableFuture<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();
    private final GroupCommit group = new GroupCommit(this::commit);

    @AfterEach
    void letGo() {
        directAnswer.complete("alone");
        commits.forEach(Parked::end);
    }

    private void commit(List<? extends Change<?>> changes) {
        int now = underWay.incrementAndGet();
        mostUnderWay.accumulateAndGet(now, Math::max);
        Parked parked = new Parked(starts(changes), new CompletableFuture<>());
        commits.add(parked);
        try {
            parked.ending()
                    .completeOnTimeout(GroupCommitTests::fail, 60, SECONDS)
                    .join()
                    .accept(parked.changes());
        } finally {
            underWay.decrementAndGet();
        }
    }

    private static List<Change.Start> starts(List<? extends Change<?>> changes) {
        return changes.stream().map(Change.Start.class::cast).toList();
    }

    private static void answerAll(List<Change.Start> changes) {
        changes.forEach(GroupCommitTests::answer);
    }

    private static void answer(Change.Start change) {
        change.answer(new Started(change.run().id(), null, Instant.EPOCH));
    }

    private static void fail(List<Change.Start> changes) {
        throw new IllegalStateException("%d changes were not committed".formatted(changes.size()));
    }

    private static Change.Start change(String name, int size) {
        return new Change.Start(
                new NewRun(RunId.next(), name, null, new StoredValue("none", new byte[size]), null, null, true));
    }

    private String make(String name) {
        return make(name, 0, () -> "alone");
    }

    private String make(String name, int size, Supplier<String> otherwise) {
        return group.make(change(name, size), started -> "together", () -> {
            assertThat(alone.put(name, Thread.currentThread())).isNull();
            return otherwise.get();
        });
    }

    private Writer writes(String name) {
        return new Writer(() -> make(name));
    }

    private Writer writes(String name, Supplier<String> otherwise) {
        return new Writer(() -> make(name, 0, otherwise));
    }

    private static void waitUntil(Callable<Boolean> condition) {
        await().atMost(BOUND)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(condition);
    }

    /** Somebody has found itself alone, and writes for as long as the test wants. */
    private void somebodyWritesDirectly() {
        Writer unused =
                writes("direct", () -> directAnswer.orTimeout(60, SECONDS).join());
        waitUntil(() -> alone.containsKey("direct"));
        alone.remove("direct");
    }

    private Parked commit(int number) {
        waitUntil(() -> commits.size() > number);
        return commits.get(number);
    }

    /** As many commits as there may be are under way, each of one change. */
    private List<Writer> allCommit() {
        somebodyWritesDirectly();
        List<Writer> committing = new ArrayList<>();
        for (int each = 0; each < MOST_COMMITS; each++) {
            committing.add(writes("first-" + each));
            assertThat(commit(each).names()).containsExactly("first-" + each);
        }
        return committing;
    }

    private static List<String> answers(List<Writer> writers) throws Exception {
        List<String> answers = new ArrayList<>();
        for (Writer writer : writers) {
            answers.add(writer.answer());
        }
        return answers;
    }

    /** The commit of those who queued while as many as may be were under way: the next one. */
    private Parked commitOf(List<Writer> queued) {
        queued.forEach(Writer::queued);
        commit(0).end();
        return commit(MOST_COMMITS);
    }

    @Test
    void aLoneCallerWritesOnItsOwnThreadWithoutABatch() {
        for (int each = 0; each < 10; each++) {
            assertThat(make("alone-" + each)).isEqualTo("alone");
        }

        assertThat(alone)
                .hasSize(10)
                .allSatisfy((name, thread) -> assertThat(thread).isSameAs(Thread.currentThread()));
        assertThat(commits).isEmpty();
    }

    @Test
    void aDirectWriteThatFailsKeepsNobodyFromWritingDirectly() {
        assertThatIllegalStateException()
                .isThrownBy(() -> make("refused", 0, () -> {
                    throw new IllegalStateException("its own");
                }))
                .withMessage("its own");

        assertThat(make("next")).isEqualTo("alone");
        assertThat(commits).isEmpty();
    }

    @Test
    void whileOneWritesDirectlyTheOthersShare() throws Exception {
        somebodyWritesDirectly();

        Writer other = writes("other");

        assertThat(commit(0).names()).containsExactly("other");
        commit(0).end();
        assertThat(other.answer()).isEqualTo("together");
        assertThat(alone).isEmpty();
        directAnswer.complete("alone");
    }

    @Test
    void changesReadyAtTheSameMomentShareACommit() throws Exception {
        List<Writer> first = allCommit();
        List<Writer> ready =
                IntStream.range(0, 20).mapToObj(each -> writes("ready-" + each)).toList();
        ready.forEach(Writer::queued);
        assertThat(commits).hasSize(MOST_COMMITS);

        commit(2).end();

        assertThat(commit(MOST_COMMITS).names())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 20).mapToObj(each -> "ready-" + each).toList());
        commits.forEach(Parked::end);
        assertThat(answers(ready)).hasSize(20).containsOnly("together");
        assertThat(answers(first)).hasSize(MOST_COMMITS).containsOnly("together");
        assertThat(commits).hasSize(MOST_COMMITS + 1);
        assertThat(alone).isEmpty();
    }

    @Test
    void aCommitIsOfSoMany() throws Exception {
        List<Writer> unused = allCommit();
        List<Writer> ready = IntStream.range(0, 200)
                .mapToObj(each -> writes("ready-" + each))
                .toList();

        assertThat(commitOf(ready).changes()).hasSize(128);
        assertThat(commits).hasSize(MOST_COMMITS + 1);

        commit(1).end();
        assertThat(commit(MOST_COMMITS + 1).changes()).hasSize(72);
        commits.forEach(Parked::end);
        assertThat(answers(ready)).hasSize(200).containsOnly("together");
    }

    @Test
    void changesOfAFailedBatchAreMadeAloneAndOnlyTheBadOneFails() throws Exception {
        List<Writer> unused = allCommit();
        Writer good = writes("good");
        Writer bad = writes("bad", () -> {
            throw new IllegalArgumentException("its own");
        });
        Writer other = writes("other");

        commitOf(List.of(good, bad, other)).endBy(GroupCommitTests::fail);

        assertThat(good.answer()).isEqualTo("alone");
        assertThat(other.answer()).isEqualTo("alone");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(bad::answer)
                .havingCause()
                .isInstanceOf(IllegalArgumentException.class)
                .withMessage("its own");
        for (Writer each : List.of(good, bad, other)) {
            assertThat(alone).containsValue(each.thread.join());
        }
    }

    /** What it answered before it failed was rolled back. */
    @Test
    void theAnswersOfACommitThatFailedAreNotBelieved() throws Exception {
        List<Writer> unused = allCommit();
        List<Writer> ready = List.of(writes("one"), writes("two"));

        commitOf(ready).endBy(changes -> {
            answerAll(changes);
            throw new IllegalStateException("no commit");
        });

        assertThat(answers(ready)).containsExactly("alone", "alone");
    }

    @Test
    void aChangeLeftOutOfABatchIsMadeAloneAndTheOthersTogether() throws Exception {
        List<Writer> unused = allCommit();
        List<Writer> ready = List.of(writes("before"), writes("locked"), writes("after"));

        commitOf(ready)
                .endBy(changes -> changes.stream()
                        .filter(each -> !each.run().run().equals("locked"))
                        .forEach(GroupCommitTests::answer));

        assertThat(answers(ready)).containsExactly("together", "alone", "together");
        assertThat(alone).containsOnlyKeys("locked");
    }

    @Test
    void anErrorOfWhoCommitsLeavesNobodyWaiting() throws Exception {
        List<Writer> first = allCommit();
        List<Writer> ready = List.of(writes("one"), writes("two"), writes("three"));
        Parked commit = commitOf(ready);

        commit.endBy(changes -> {
            throw new StackOverflowError("of who commits");
        });

        waitUntil(() -> ready.stream().allMatch(writer -> writer.made.isDone()));
        assertThat(ready)
                .filteredOn(writer -> writer.made.isCompletedExceptionally())
                .hasSize(1)
                .allSatisfy(writer -> assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(writer::answer)
                        .withCauseInstanceOf(StackOverflowError.class));
        assertThat(alone).hasSize(2);

        // What it committed in is free again.
        Writer next = writes("next");
        assertThat(commit(MOST_COMMITS + 1).names()).containsExactly("next");
        commits.forEach(Parked::end);
        assertThat(next.answer()).isEqualTo("together");
        assertThat(answers(first)).containsOnly("together");
    }

    /** A stack that ends at any depth within a change is an error at any point of it. */
    @Test
    void anErrorAtAnyPointOfAChangeLeavesNobodyWaiting() throws Exception {
        GroupCommit brittle = new GroupCommit(changes -> answerAll(starts(changes)));
        Supplier<String> write = () -> brittle.make(change("write", 0), started -> "together", () -> "alone");
        Supplier<String> warm = () -> {
            for (int each = 0; each < 2_000; each++) {
                String unused = write.get();
            }
            return "warm";
        };
        assertThat(answers(Stream.generate(() -> new Writer(warm)).limit(4).toList()))
                .containsOnly("warm");

        List<Writer> writers = new ArrayList<>();
        for (int each = 0; each < 4; each++) {
            writers.add(new Writer(() -> {
                AtomicInteger failed = new AtomicInteger();
                for (int again = 0; again < 5; again++) {
                    atTheEndOfTheStack(write, failed, 60);
                }
                return failed.get() > 0 ? "failed sometimes" : "never failed";
            }));
            writers.add(new Writer(() -> {
                for (int again = 0; again < 5_000; again++) {
                    String unused = write.get();
                }
                return "healthy";
            }));
        }

        assertThat(answers(writers)).containsOnly("failed sometimes", "healthy");
        assertThat(write.get()).isEqualTo("alone");
    }

    /** Returns how many more frames are to try it, each with a little more stack than the one it has called. */
    @SuppressWarnings("InfiniteRecursion") // It ends with the stack.
    private static int atTheEndOfTheStack(Supplier<String> write, AtomicInteger failed, int frames) {
        int left;
        try {
            left = atTheEndOfTheStack(write, failed, frames);
        } catch (StackOverflowError end) {
            left = frames;
        }
        if (left > 0) {
            try {
                String unused = write.get();
            } catch (StackOverflowError still) {
                failed.incrementAndGet();
            }
        }
        return left - 1;
    }

    @Test
    void anErrorOfTheCommitLeavesTheOutcomeOpenForWhoCannotAskAgain() throws Exception {
        List<Writer> first = allCommit();
        Supplier<String> unreachable = () -> {
            throw new CannotGetJdbcConnectionException("no connection");
        };
        Supplier<String> refused = () -> {
            throw new TransientDataAccessResourceException("read-only after a fail-over");
        };
        List<Writer> ready =
                List.of(writes("leader", unreachable), writes("unreachable", unreachable), writes("refused", refused));

        commitOf(ready).endBy(changes -> {
            throw new OutOfMemoryError("of who commits");
        });

        waitUntil(() -> ready.stream().allMatch(writer -> writer.made.isDone()));
        List<String> outcomes = ready.stream()
                .map(writer -> writer.made
                        .handle((made, failed) -> String.valueOf(failed))
                        .join())
                .toList();
        assertThat(outcomes)
                .satisfiesExactlyInAnyOrder(
                        each -> assertThat(each).contains("OutOfMemoryError"),
                        each -> assertThat(each).contains("OutcomeUnknownException"),
                        each -> assertThat(each).contains("OutcomeUnknownException"));
        commits.forEach(Parked::end);
        assertThat(answers(first)).containsOnly("together");
    }

    @Test
    void aChangeAboveTheSizeLimitIsMadeAlone() throws Exception {
        somebodyWritesDirectly();

        assertThat(make("large", 64 * 1024 + 1, () -> "alone")).isEqualTo("alone");
        assertThat(commits).isEmpty();

        Writer fits = new Writer(() -> make("fits", 64 * 1024, () -> "alone"));
        commit(0).end();
        assertThat(fits.answer()).isEqualTo("together");
    }

    @Test
    void anInterruptedCallerGetsItsAnswerAndStaysInterrupted() throws Exception {
        List<Writer> unused = allCommit();
        Writer leader = writes("leader").queued();
        CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
        Writer follower = new Writer(() -> {
            String answer = make("follower");
            isInterrupted.complete(Thread.currentThread().isInterrupted());
            return answer;
        });

        Parked commit = commitOf(List.of(leader, follower));
        follower.thread.join().interrupt();
        Writer stillQueued = follower.queued();
        assertThat(stillQueued.made).isNotDone();
        commit.end();

        assertThat(follower.answer()).isEqualTo("together");
        assertThat(isInterrupted).isCompletedWithValue(true);
        assertThat(leader.answer()).isEqualTo("together");
        assertThat(alone).isEmpty();
    }

    @Test
    void asManyCommitsAsMayBeAreUnderWayAndWhatWaitsIsCommittedAsSoonAsOneEnds() throws Exception {
        List<Writer> first = allCommit();
        for (int next = MOST_COMMITS; next < 10; next++) {
            Writer waits = writes("next-" + next).queued();
            assertThat(commits).hasSize(next);

            commit(next - 1).end();

            assertThat(commit(next).names()).containsExactly("next-" + next);
            assertThat(waits.made).isNotDone();
        }
        commits.forEach(Parked::end);
        assertThat(answers(first)).containsOnly("together");
    }

    /** Who was handed the gathering needs a while to wake up, and whoever comes meanwhile waits for it. */
    @Test
    void callersShareCommitsAndNeverExceedTheirLimit() throws Exception {
        List<Writer> first = allCommit();
        List<Writer> again = IntStream.range(0, 4)
                .mapToObj(writer -> new Writer(() -> IntStream.range(0, 100)
                        .mapToObj(each -> make("again-%d-%d".formatted(writer, each)))
                        .distinct()
                        .collect(Collectors.joining())))
                .toList();
        commit(0).end();

        for (int next = MOST_COMMITS; !again.stream().allMatch(writer -> writer.made.isDone()); ) {
            if (commits.size() > next) {
                commit(next++).end();
            }
        }

        assertThat(answers(again)).hasSize(4).containsOnly("together");
        assertThat(mostUnderWay).hasValue(MOST_COMMITS);
        commits.forEach(Parked::end);
        assertThat(answers(first)).containsOnly("together");
    }

    @Test
    void nobodyIsForgottenWhateverBecomesOfTheCommits() throws Exception {
        int threads = 32;
        int changes = 2_000;
        AtomicIntegerArray made = new AtomicIntegerArray(threads * changes);
        AtomicInteger shared = new AtomicInteger();
        Random outcomes = new Random(42);
        GroupCommit stressed = new GroupCommit(batch -> {
            int now = underWay.incrementAndGet();
            mostUnderWay.accumulateAndGet(now, Math::max);
            int outcome;
            synchronized (outcomes) {
                outcome = outcomes.nextInt(9);
            }
            for (Change.Start each : starts(batch)) {
                if (outcome > 3 || (outcome == 3 && each.run().id().value().hashCode() % 2 == 0)) {
                    answer(each);
                    made.incrementAndGet(Integer.parseInt(each.run().run()));
                    shared.incrementAndGet();
                }
            }
            underWay.decrementAndGet();
            if (outcome < 2) {
                throw new IllegalStateException("no commit");
            }
            if (outcome == 2) {
                throw new StackOverflowError("of who commits");
            }
        });

        CompletableFuture<?>[] all = IntStream.range(0, threads)
                .mapToObj(thread -> OwnThread.run(() -> {
                    for (int each = thread * changes; each < (thread + 1) * changes; each++) {
                        int number = each;
                        try {
                            int answer = stressed.make(change(String.valueOf(number), 0), started -> number, () -> {
                                made.incrementAndGet(number);
                                return number;
                            });
                            assertThat(answer).isEqualTo(number);
                        } catch (StackOverflowError ofWhoCommits) {
                            made.incrementAndGet(number);
                        }
                    }
                }))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(all).get(2, MINUTES);

        assertThat(IntStream.range(0, made.length()).map(made::get).summaryStatistics())
                .returns(1, each -> each.getMin())
                .returns(1, each -> each.getMax());
        assertThat(mostUnderWay).hasValueLessThanOrEqualTo(MOST_COMMITS);
        assertThat(shared).hasPositiveValue();
    }
}
