package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A timeout coincides with an interrupt by others. The test decides at which moment the timeout passes. */
class TimeoutsTests {

    private static final Duration LONG = Duration.ofHours(1);

    private Runnable pass = () -> {};

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1) {
        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            pass = command;
            return super.schedule(command, delay, unit);
        }
    };
    private final Timeouts timeouts = new Timeouts(timer);

    @AfterEach
    void close() {
        boolean unused = Thread.interrupted();
        timeouts.close();
    }

    private void requireTooLate(Callable<String> code) {
        assertThatExceptionOfType(Timeouts.TooLateException.class).isThrownBy(() -> timeouts.within(LONG, code));
    }

    @Test
    void theInterruptOfATimeoutEndsWithTheCode() {
        requireTooLate(() -> {
            pass.run();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return "late";
        });

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptByOthersBeforeTheTimeoutOutlastsTheCode() {
        requireTooLate(() -> {
            Thread.currentThread().interrupt();
            pass.run();
            return "late";
        });

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void anInterruptByOthersOutlastsCodeThatFailsAfterItsTimeout() {
        requireTooLate(() -> {
            Thread.currentThread().interrupt();
            pass.run();
            throw new IllegalStateException("late");
        });

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void anInterruptByOthersOutlastsCodeThatReturnsInTime() throws Exception {
        String result = timeouts.within(LONG, () -> {
            Thread.currentThread().interrupt();
            return "in time";
        });
        pass.run();

        assertThat(result).isEqualTo("in time");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
}
