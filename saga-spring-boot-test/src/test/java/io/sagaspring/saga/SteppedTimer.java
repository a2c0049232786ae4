package io.sagaspring.saga;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A timer that runs its latest command when a test requests it. */
final class SteppedTimer extends ScheduledThreadPoolExecutor {

    private @Nullable Runnable latest;

    SteppedTimer() {
        super(1);
        setRemoveOnCancelPolicy(true);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        latest = command;
        return super.schedule(() -> {}, 1, TimeUnit.DAYS);
    }

    /** Runs the time-out that was scheduled last. */
    void ring() {
        Runnable command = latest;
        if (command == null) {
            throw new IllegalStateException("Nothing has a timeout.");
        }
        command.run();
    }
}
