package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GroupCommitTests extends WritersInGroups {

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
    void aFailedDirectWriteDoesNotPreventTheNextDirectWrite() {
        assertThatIllegalStateException()
                .isThrownBy(() -> make("refused", 0, () -> {
                    throw new IllegalStateException("its own");
                }))
                .withMessage("its own");

        assertThat(make("next")).isEqualTo("alone");
        assertThat(commits).isEmpty();
    }

    @Test
    void aSecondCallerUsesABatchWhileAnotherWritesDirectly() throws Exception {
        startDirectWrite();

        Writer other = writes("other");

        assertThat(commit(0).names()).containsExactly("other");
        commit(0).end();
        assertThat(other.answer()).isEqualTo("together");
        assertThat(alone).isEmpty();
        directAnswer.complete("alone");
    }

    @Test
    void changesReadyAtTheSameMomentShareACommit() throws Exception {
        List<Writer> first = fillCommits();
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
    void aCommitContainsAtMost128Changes() throws Exception {
        List<Writer> unused = fillCommits();
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
    void aChangeAboveTheSizeLimitIsWrittenAlone() throws Exception {
        startDirectWrite();

        assertThat(make("large", 64 * 1024 + 1, () -> "alone")).isEqualTo("alone");
        assertThat(commits).isEmpty();

        Writer fits = new Writer(() -> make("fits", 64 * 1024, () -> "alone"));
        commit(0).end();
        assertThat(fits.answer()).isEqualTo("together");
    }

    @Test
    void anInterruptedCallerGetsItsAnswerAndStaysInterrupted() throws Exception {
        List<Writer> unused = fillCommits();
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
    void anInterruptOfTheCallerThatCommitsDoesNotReachTheCommit() throws Exception {
        List<Writer> unused = fillCommits();
        CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
        Writer leader = new Writer(() -> {
                    String answer = make("leader");
                    isInterrupted.complete(Thread.currentThread().isInterrupted());
                    return answer;
                })
                .queued();
        leader.thread.join().interrupt();
        CompletableFuture<Boolean> isInterruptedInCommit = new CompletableFuture<>();

        Parked commit = commitOf(List.of(leader));
        commit.endBy(changes -> {
            isInterruptedInCommit.complete(Thread.currentThread().isInterrupted());
            answerAll(changes);
        });

        assertThat(leader.answer()).isEqualTo("together");
        assertThat(isInterruptedInCommit).isCompletedWithValue(false);
        assertThat(isInterrupted).isCompletedWithValue(true);
    }

    @Test
    void aWaitingChangeIsCommittedAsSoonAsAnotherCommitEnds() throws Exception {
        List<Writer> first = fillCommits();
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

    /**
     * The caller that sends the next batch needs some time to wake up. Callers that arrive in the meantime wait for
     * this caller.
     */
    @Test
    void callersShareCommitsWithinTheLimitOfConcurrentCommits() throws Exception {
        List<Writer> first = fillCommits();
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
}
