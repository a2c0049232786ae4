package io.sagaspring.run;

import io.sagaspring.fence.LostAnswers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * Who waits on this node for a run to end. Of what is driven here nobody asks the database: they are told. What is driven
 * elsewhere is looked at again and again.
 */
final class Waiters {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<RunId, Post> posts = new HashMap<>();

    private final class Post {
        private final Condition changed = lock.newCondition();
        private boolean executedHere;
        private boolean news;
        private @Nullable RunEnd end;
        private int waiting;
    }

    void executedHere(RunId id) {
        lock.lock();
        try {
            Post post = posts.computeIfAbsent(id, unused -> new Post());
            post.executedHere = true;
            // It was retried: how it ended before is no news to who comes now.
            post.end = null;
        } finally {
            lock.unlock();
        }
    }

    /** It is no longer driven here; null where it did not end with that. */
    void left(RunId id, @Nullable RunEnd end) {
        lock.lock();
        try {
            Post post = posts.get(id);
            if (post != null) {
                post.executedHere = false;
                post.news = true;
                post.end = end;
                post.changed.signalAll();
                removeIfUnused(id, post);
            }
        } finally {
            lock.unlock();
        }
    }

    private void removeIfUnused(RunId id, Post post) {
        if (post.waiting == 0 && !post.executedHere) {
            posts.remove(id);
        }
    }

    /** Returns null if the run is not over in time. A read that fails for want of a connection is repeated until then. */
    @Nullable
    RunEnd await(RunId id, Duration patience, Supplier<@Nullable RunEnd> look) throws InterruptedException {
        long giveUp = System.nanoTime() + patience.toNanos();
        Duration pause = FIRST_PAUSE;
        lock.lock();
        try {
            Post post = posts.computeIfAbsent(id, unused -> new Post());
            post.waiting++;
            try {
                while (true) {
                    boolean isLong = pause.compareTo(LONGEST_PAUSE) >= 0;
                    RunEnd end = post.end;
                    try {
                        end = end == null ? lookedAt(post, isLong, look) : end;
                    } catch (DataAccessException unanswered) {
                        if (!LostAnswers.isOfTheConnection(unanswered) || System.nanoTime() >= giveUp) {
                            throw unanswered;
                        }
                    }
                    long left = giveUp - System.nanoTime();
                    if (end != null) {
                        return end;
                    }
                    if (left <= 0) {
                        return null;
                    }
                    if (!post.news) {
                        long unused = post.changed.awaitNanos(Math.min(left, pause.toNanos()));
                    }
                    post.news = false;
                    pause = isLong ? LONGEST_PAUSE : pause.multipliedBy(2);
                }
            } finally {
                post.waiting--;
                removeIfUnused(id, post);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Without the lock: it may take as long as the database does. Who drives it here may have lost it, and not know. */
    private @Nullable RunEnd lookedAt(Post post, boolean inAnyCase, Supplier<@Nullable RunEnd> look) {
        if (post.executedHere && !inAnyCase) {
            return null;
        }
        post.news = false;
        lock.unlock();
        try {
            return look.get();
        } finally {
            lock.lock();
        }
    }
}
