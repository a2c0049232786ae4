package io.sagaspring.run.postgres;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
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
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/** Starts writers that share commits. The test decides when each commit ends. */
abstract class WritersInGroups {

    /** This limit is generous, because each error can make the other writers wait for 50 ms. */
    static final Duration BOUND = Duration.ofSeconds(60);

    static final int MOST_COMMITS = 4;

    /** A commit. The test decides when and how the commit ends. */
    record Parked(List<Change.Start> changes, CompletableFuture<Consumer<List<Change.Start>>> ending) {

        List<String> names() {
            return changes.stream().map(each -> each.run().run()).toList();
        }

        void end() {
            endBy(WritersInGroups::answerAll);
        }

        void endBy(Consumer<List<Change.Start>> outcome) {
            boolean unused = ending.complete(outcome);
        }
    }

    /** A writer on its own thread. */
    static final class Writer {

        final CompletableFuture<Thread> thread = new CompletableFuture<>();
        final CompletableFuture<String> made;

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

        /** Returns true if the writer is parked, because a writer joins the queue before it parks. */
        private boolean isQueued() throws Exception {
            Object blocker = LockSupport.getBlocker(thread.get(BOUND.toSeconds(), SECONDS));
            return blocker != null && blocker.getClass().getEnclosingClass() == GroupCommit.class;
        }
    }

    final List<Parked> commits = new CopyOnWriteArrayList<>();
    final Map<String, Thread> alone = new ConcurrentHashMap<>();
    final CompletableFuture<String> directAnswer = new CompletableFuture<>();
    final AtomicInteger underWay = new AtomicInteger();
    final AtomicInteger mostUnderWay = new AtomicInteger();
    final GroupCommit group = new GroupCommit(this::commit);

    @AfterEach
    void letGo() {
        directAnswer.complete("alone");
        commits.forEach(Parked::end);
    }

    void commit(List<? extends Change<?>> changes) {
        int now = underWay.incrementAndGet();
        mostUnderWay.accumulateAndGet(now, Math::max);
        Parked parked = new Parked(starts(changes), new CompletableFuture<>());
        commits.add(parked);
        try {
            parked.ending()
                    .completeOnTimeout(WritersInGroups::fail, 60, SECONDS)
                    .join()
                    .accept(parked.changes());
        } finally {
            underWay.decrementAndGet();
        }
    }

    static List<Change.Start> starts(List<? extends Change<?>> changes) {
        return changes.stream().map(Change.Start.class::cast).toList();
    }

    static void answerAll(List<Change.Start> changes) {
        changes.forEach(WritersInGroups::answer);
    }

    static void answer(Change.Start change) {
        change.answer(new Started(change.run().id(), null, Instant.EPOCH));
    }

    static void fail(List<Change.Start> changes) {
        throw new IllegalStateException("%d changes were not committed".formatted(changes.size()));
    }

    static Change.Start change(String name, int size) {
        return new Change.Start(
                new NewRun(RunId.next(), name, null, null, new StoredValue("none", new byte[size]), null, null, true));
    }

    String make(String name) {
        return make(name, 0, () -> "alone");
    }

    String make(String name, int size, Supplier<String> otherwise) {
        return group.make(change(name, size), started -> "together", () -> {
            assertThat(alone.put(name, Thread.currentThread())).isNull();
            return otherwise.get();
        });
    }

    Writer writes(String name) {
        return new Writer(() -> make(name));
    }

    Writer writes(String name, Supplier<String> otherwise) {
        return new Writer(() -> make(name, 0, otherwise));
    }

    static void waitUntil(Callable<Boolean> condition) {
        await().atMost(BOUND)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(condition);
    }

    /** Starts a writer that finds no other writers and writes directly, until the test ends the write. */
    void startDirectWrite() {
        Writer unused =
                writes("direct", () -> directAnswer.orTimeout(60, SECONDS).join());
        waitUntil(() -> alone.containsKey("direct"));
        alone.remove("direct");
    }

    Parked commit(int number) {
        waitUntil(() -> commits.size() > number);
        return commits.get(number);
    }

    /** Starts the maximum number of concurrent commits, each with one change. */
    List<Writer> fillCommits() {
        startDirectWrite();
        List<Writer> committing = new ArrayList<>();
        for (int each = 0; each < MOST_COMMITS; each++) {
            committing.add(writes("first-" + each));
            assertThat(commit(each).names()).containsExactly("first-" + each);
        }
        return committing;
    }

    static List<String> answers(List<Writer> writers) throws Exception {
        List<String> answers = new ArrayList<>();
        for (Writer writer : writers) {
            answers.add(writer.answer());
        }
        return answers;
    }

    /**
     * Waits until the writers are queued, ends the first commit, and returns the next commit, which contains their
     * changes.
     */
    Parked commitOf(List<Writer> queued) {
        queued.forEach(Writer::queued);
        commit(0).end();
        return commit(MOST_COMMITS);
    }
}
