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

/** Waits for several words, with a timer or without one, and notices if it is driven twice at a time. */
final class Listener implements DurableRun<String, String> {

    static final String WORD = "word";
    static final int WORDS = 3;

    private static final Duration TIMER = Duration.ofMillis(3);

    private final Map<Object, AtomicInteger> inside = new ConcurrentHashMap<>();
    private final AtomicInteger overlaps = new AtomicInteger();

    /** How often one run was driven twice at a time. */
    int overlaps() {
        return overlaps.get();
    }

    @Override
    public String name() {
        return "listener";
    }

    @Override
    public String run(RunContext run, String timed) {
        List<String> heard = new ArrayList<>();
        for (int times = 0; heard.size() < WORDS; times++) {
            // What waits may be taken up by another node before this one has left it: only between waits it is alone.
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
                run.awaitSignal(WORD, TIMER, String.class).ifPresent(heard::add);
            } else {
                heard.add(run.awaitSignal(WORD, String.class));
            }
        }
        return String.join(" ", heard);
    }
}
