package io.sagaspring.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoopTests {

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Loop.Settings SETTINGS = new Loop.Settings("saga-tested", Duration.ZERO, SHORT, null);

    private final Loops loops = new Loops();
    private final AtomicInteger turns = new AtomicInteger();

    @Test
    void aLoopContinuesWhateverATurnThrows() throws Exception {
        Set<String> reported = ConcurrentHashMap.newKeySet();
        Loop loop = loops.start(
                SETTINGS,
                () -> switch (turns.incrementAndGet() % 4) {
                    case 0 -> throw new OutOfMemoryError("memory");
                    case 1 -> throw new StackOverflowError("stack");
                    case 2 -> throw new InterruptedException("interrupt");
                    default -> SHORT;
                },
                failed -> reported.add(String.valueOf(failed.getMessage())));

        await().until(() -> turns.get() > 20);

        assertThat(reported).containsExactlyInAnyOrder("memory", "stack", "interrupt");
        loops.forget(loop);
        assertThat(loop.awaitEnd(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void aLoopContinuesEvenIfItsFailureCannotBeLogged() {
        Loop loop = loops.start(
                SETTINGS,
                () -> {
                    turns.incrementAndGet();
                    throw new OutOfMemoryError("of a turn");
                },
                failed -> {
                    throw new OutOfMemoryError("of the log");
                });

        await().until(() -> turns.get() > 20);

        loops.forget(loop);
    }

    @Test
    void aThreadThatHasEndedIsShownAsGone() {
        Loops brittle = new Loops(unused -> new Thread(() -> turns.incrementAndGet()));

        Loop loop = brittle.start(SETTINGS, () -> SHORT, failed -> turns.incrementAndGet());

        await().until(() -> brittle.states().get(0).gone());
        brittle.forget(loop);
        assertThat(brittle.states()).isEmpty();
    }

    @Test
    void aTurnThatLastsForTooLongIsShownAsOverdue() {
        Loop loop = loops.start(
                new Loop.Settings("saga-tested", Duration.ZERO, SHORT, Duration.ofMillis(50)),
                () -> {
                    Thread.sleep(60_000);
                    return SHORT;
                },
                failed -> turns.incrementAndGet());

        await().until(() -> loops.states().get(0).overdue());
        loop.interrupt();
        assertThat(loops.states().get(0).overdue()).isFalse();
    }
}
