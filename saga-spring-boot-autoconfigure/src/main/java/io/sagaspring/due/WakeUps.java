package io.sagaspring.due;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Wakes one thread: on request, at a known time, or after the poll interval. */
final class WakeUps {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Long> known = new PriorityQueue<>();
    private final Duration poll;
    private boolean now;

    /**
     * Creates wake-ups at the poll interval. Requests and known times are added later.
     *
     * @param poll the poll interval, which is the longest wait
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
            // The next poll is earlier and will find the row.
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
     * Waits for the next wake-up. If a wake-up was requested before this call, the call returns immediately. The poll
     * interval is shortened at random, so that the nodes do not poll at the same time.
     *
     * @param until the time until a row is due
     */
    void await(Duration until) throws InterruptedException {
        long longest = poll.toNanos();
        long jittered = longest - ThreadLocalRandom.current().nextLong(longest / 4 + 1);
        long giveUp = System.nanoTime() + Math.min(jittered, until.toNanos());
        lock.lock();
        try {
            while (!now) {
                long remaining = untilNext(giveUp);
                if (remaining <= 0) {
                    break;
                }
                long unused = changed.awaitNanos(remaining);
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
