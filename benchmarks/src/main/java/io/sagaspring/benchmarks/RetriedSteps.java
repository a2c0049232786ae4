package io.sagaspring.benchmarks;

import static io.sagaspring.run.Retry.retry;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The steps of {@link ThreeSteps}, each with a retry policy and, if the input says so, a time-out. */
final class RetriedSteps implements DurableRun<RetriedSteps.Order, String> {

    private static final int MOST_ATTEMPTS = 5;

    /** The keys of the steps whose first attempt has failed and whose second attempt has not begun. */
    private final Set<String> failed = ConcurrentHashMap.newKeySet();

    /**
     * The input of a run, which sets the behaviour of the run's steps.
     *
     * @param payload the result of each step
     * @param timeout true if each step has a time-out
     * @param pause the pause in milliseconds after the failed first attempt of each step, or -1 if no attempt fails
     */
    record Order(String payload, boolean timeout, long pause) {}

    @Override
    public String run(RunContext run, Order order) {
        String first = step(run, "first", order, order.payload());
        String second = step(run, "second", order, first);
        return step(run, "third", order, second);
    }

    private String step(RunContext run, String name, Order order, String result) {
        Step step =
                Step.of(name).retry(retry().max(MOST_ATTEMPTS).delay(Duration.ofMillis(Math.max(0, order.pause()))));
        if (order.timeout()) {
            step = step.timeout(Duration.ofSeconds(30));
        }
        return run.step(step, String.class, () -> {
            String key = run.idempotencyKey();
            if (order.pause() >= 0 && !failed.remove(key)) {
                boolean unused = failed.add(key);
                throw new IllegalStateException("The first attempt fails.");
            }
            return result;
        });
    }
}
