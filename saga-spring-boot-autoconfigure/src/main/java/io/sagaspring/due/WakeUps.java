package io.sagaspring.due;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** When one thread has to look again: now, at a time that is known, or when it has waited for long enough. */
final class WakeUps {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Long> known = new PriorityQueue<>();
    private boolean now;

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
        lock.lock();
        try {
            known.add(System.nanoTime() + pause.toNanos());
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Returns at the first of these. What was said before it is called counts. */
    void await(Duration longest) throws InterruptedException {
        long giveUp = System.nanoTime() + longest.toNanos();
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
