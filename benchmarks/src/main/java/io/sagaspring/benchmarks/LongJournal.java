package io.sagaspring.benchmarks;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A run with any number of steps that do nothing. Before its end, it waits for a signal. */
final class LongJournal implements DurableRun<Integer, String> {

    /** The name of the signal. */
    static final String SIGNAL = "go";

    /** The steps between two times. */
    private final int part;

    private final List<Long> times = new CopyOnWriteArrayList<>();

    LongJournal(int part) {
        this.part = part;
    }

    @Override
    public String run(RunContext run, Integer steps) {
        if (!run.isReplaying()) {
            times.clear();
            times.add(System.nanoTime());
        }
        for (int number = 0; number < steps; number++) {
            String value = "value-" + number;
            String unused = run.step(Step.of("step", number), String.class, () -> value);
            if (!run.isReplaying() && (number + 1) % part == 0) {
                times.add(System.nanoTime());
            }
        }
        return run.awaitSignal(SIGNAL, String.class);
    }

    /**
     * Returns the times of the latest run that was started on this node: one at its beginning, and one after each part.
     */
    List<Long> times() {
        return List.copyOf(times);
    }
}
