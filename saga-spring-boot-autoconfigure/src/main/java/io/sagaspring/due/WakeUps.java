package io.sagaspring.due;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** When one thread has to look again: now, at a time that is known, or when it has waited for long enough. */
final class WakeUps {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Long> known = new PriorityQueue<>();
    private final Duration poll;
    private boolean now;

    /**
     * Creates wake-ups of which none is known yet.
     *
     * @param poll how long the thread waits at most
     */
    WakeUps(Duration poll) {
        this.poll = poll;
    }

    void now() {
        lock.lock();
        try {
            now = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    void in(Duration pause) {
        if (pause.compareTo(poll) >= 0) {
            // What lies behind the next poll is found by it.
            return;
        }
        lock.lock();
        try {
            known.add(System.nanoTime() + pause.toNanos());
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns at the first of these. What was said before it is called counts. A poll ends a little earlier or later than those
     * of other nodes.
     *
     * @param until how long it is until something is due
     */
    void await(Duration until) throws InterruptedException {
        long longest = poll.toNanos();
        long jittered = longest - ThreadLocalRandom.current().nextLong(longest / 4 + 1);
        long giveUp = System.nanoTime() + Math.min(jittered, until.toNanos());
        lock.lock();
        try {
            while (!now) {
                long left = untilNext(giveUp);
                if (left <= 0) {
                    break;
                }
                long unused = changed.awaitNanos(left);
            }
            now = false;
            while (!known.isEmpty() && known.peek() <= System.nanoTime()) {
                known.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    private long untilNext(long giveUp) {
        Long next = known.peek();
        return Math.min(giveUp, next == null ? giveUp : next) - System.nanoTime();
    }
}
