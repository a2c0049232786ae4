package io.sagaspring.run;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who waits on this node for a run to end. What ends here is seen at once, what ends elsewhere when it is looked at again. */
final class Waiters {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final ConcurrentHashMap<RunId, Bell> bells = new ConcurrentHashMap<>();

    private static final class Bell {
        private final Semaphore rung = new Semaphore(0);
        private int waiting;
    }

    /** Rings for all who wait: how often says how many there were at most. */
    void wake(RunId id) {
        bells.computeIfPresent(id, (unused, bell) -> {
            bell.rung.release(bell.waiting);
            return bell;
        });
    }

    /** Returns null if the run is not over in time. */
    RunStore.@Nullable RunRow await(RunId id, Duration patience, Supplier<RunStore.RunRow> look)
            throws InterruptedException {
        long giveUp = System.nanoTime() + patience.toNanos();
        Bell bell = bells.compute(id, (unused, there) -> {
            Bell here = there == null ? new Bell() : there;
            here.waiting++;
            return here;
        });
        try {
            Duration pause = FIRST_PAUSE;
            while (true) {
                RunStore.RunRow row = look.get();
                long left = giveUp - System.nanoTime();
                if (row.state().isEnd()) {
                    return row;
                }
                if (left <= 0) {
                    return null;
                }
                boolean unused = bell.rung.tryAcquire(Math.min(left, pause.toNanos()), TimeUnit.NANOSECONDS);
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        } finally {
            bells.computeIfPresent(id, (unused, there) -> --there.waiting == 0 ? null : there);
        }
    }
}
