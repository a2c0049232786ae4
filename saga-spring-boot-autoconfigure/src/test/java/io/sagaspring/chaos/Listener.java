package io.sagaspring.chaos;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A run that waits for several signals, with or without a timer. It counts how often two nodes execute it at the same
 * time.
 */
final class Listener implements DurableRun<String, String> {

    static final String WORD = "word";
    static final int WORDS = 3;

    private static final Duration TIMER = Duration.ofMillis(3);

    private final Map<Object, AtomicInteger> inside = new ConcurrentHashMap<>();
    private final AtomicInteger overlaps = new AtomicInteger();

    /** Returns how often two nodes executed the same run at the same time. */
    int overlaps() {
        return overlaps.get();
    }

    @Override
    public String name() {
        return "listener";
    }

    @Override
    public String run(RunContext run, String timed) {
        List<String> words = new ArrayList<>();
        for (int times = 0; words.size() < WORDS; times++) {
            // Another node may pick up a waiting run before this node has left the run's code. Between two waits, only
            // one node executes the run.
            Step step = Step.of("alone", times);
            run.step(step, () -> {
                AtomicInteger here = inside.computeIfAbsent(run.runId(), any -> new AtomicInteger());
                if (here.incrementAndGet() > 1) {
                    overlaps.incrementAndGet();
                }
                LockSupport.parkNanos(1_000);
                here.decrementAndGet();
            });
            if (timed.equals("timed")) {
                run.awaitSignal(WORD, TIMER, String.class).ifPresent(words::add);
            } else {
                words.add(run.awaitSignal(WORD, String.class));
            }
        }
        return String.join(" ", words);
    }
}
