package io.sagaspring.run.postgres;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.shop.OwnThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/** Each writer gets its own result, even if a commit fails entirely, fails for one change, or has no known outcome. */
class FailedGroupCommitTests extends WritersInGroups {

    @Test
    void changesOfAFailedBatchAreWrittenAloneAndOnlyTheFaultyChangeFails() throws Exception {
        List<Writer> unused = fillCommits();
        Writer good = writes("good");
        Writer bad = writes("bad", () -> {
            throw new IllegalArgumentException("its own");
        });
        Writer other = writes("other");

        commitOf(List.of(good, bad, other)).endBy(WritersInGroups::fail);

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

    /** The results that were set before the commit failed are no longer valid. */
    @Test
    void theAnswersOfAFailedCommitAreDiscarded() throws Exception {
        List<Writer> unused = fillCommits();
        List<Writer> ready = List.of(writes("one"), writes("two"));

        commitOf(ready).endBy(changes -> {
            answerAll(changes);
            throw new IllegalStateException("no commit");
        });

        assertThat(answers(ready)).containsExactly("alone", "alone");
    }

    @Test
    void onlyAChangeLeftOutOfABatchIsWrittenAlone() throws Exception {
        List<Writer> unused = fillCommits();
        List<Writer> ready = List.of(writes("before"), writes("locked"), writes("after"));

        commitOf(ready)
                .endBy(changes -> changes.stream()
                        .filter(each -> !each.run().run().equals("locked"))
                        .forEach(WritersInGroups::answer));

        assertThat(answers(ready)).containsExactly("together", "alone", "together");
        assertThat(alone).containsOnlyKeys("locked");
    }

    @Test
    void anErrorOfTheCommittingCallerLeavesNoCallerWaiting() throws Exception {
        List<Writer> first = fillCommits();
        List<Writer> ready = List.of(writes("one"), writes("two"), writes("three"));
        Parked commit = commitOf(ready);

        commit.endBy(changes -> {
            throw new StackOverflowError("of the committing caller");
        });

        waitUntil(() -> ready.stream().allMatch(writer -> writer.made.isDone()));
        assertThat(ready)
                .filteredOn(writer -> writer.made.isCompletedExceptionally())
                .hasSize(1)
                .allSatisfy(writer -> assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(writer::answer)
                        .withCauseInstanceOf(StackOverflowError.class));
        assertThat(alone).hasSize(2);

        // The slot of the failed commit is free again.
        Writer next = writes("next");
        assertThat(commit(MOST_COMMITS + 1).names()).containsExactly("next");
        commits.forEach(Parked::end);
        assertThat(next.answer()).isEqualTo("together");
        assertThat(answers(first)).containsOnly("together");
    }

    /** A stack that overflows at every possible depth causes an error at every point of a change. */
    @Test
    void anErrorAtAnyPointOfAChangeLeavesNoCallerWaiting() throws Exception {
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

    /**
     * Returns the number of frames that still have to try the write. Each frame has more stack left than the frame that
     * it has called.
     */
    @SuppressWarnings("InfiniteRecursion") // The recursion ends when the stack overflows.
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
    void afterACommitErrorTheOutcomeIsUnknownForCallersWhoseOwnWriteFails() throws Exception {
        List<Writer> first = fillCommits();
        Supplier<String> unreachable = () -> {
            throw new CannotGetJdbcConnectionException("no connection");
        };
        Supplier<String> refused = () -> {
            throw new TransientDataAccessResourceException("read-only after a fail-over");
        };
        List<Writer> ready =
                List.of(writes("leader", unreachable), writes("unreachable", unreachable), writes("refused", refused));

        commitOf(ready).endBy(changes -> {
            throw new OutOfMemoryError("of the committing caller");
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
    void everyChangeIsWrittenOnceOrReportedAsFailed() throws Exception {
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
                throw new StackOverflowError("of the committing caller");
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
                        } catch (StackOverflowError ofTheCommittingCaller) {
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
