package io.sagaspring.actuate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.QueueListener;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the numbers of runs in the queues of this application, and counts the runs that begin on this node. Reading a
 * gauge never waits for the database.
 */
final class QueueMeters implements MeterBinder, QueueListener {

    private static final Logger logger = LoggerFactory.getLogger(QueueMeters.class);

    private final Survey<RunFacts> survey;
    private final Supplier<Set<String>> names;
    private final Map<String, List<Counter>> begun = new ConcurrentHashMap<>();

    /**
     * Creates meters that are not registered yet.
     *
     * @param survey the survey that queries the queues in the database
     * @param names the supplier of the names of the queues that the application declares
     */
    public QueueMeters(Survey<RunFacts> survey, Supplier<Set<String>> names) {
        this.survey = survey;
        this.names = names;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        // A registry that refuses a meter must not make the application fail at start-up.
        try {
            for (String queue : names.get()) {
                begun.computeIfAbsent(queue, each -> new CopyOnWriteArrayList<>())
                        .add(Counter.builder("saga.queue.begun")
                                .description("Runs of the queue that have begun on this node.")
                                .tag("queue", queue)
                                .register(registry));
                bind(
                        registry,
                        queue,
                        "waiting",
                        "Runs that wait in the queue, on all nodes, up to 10,000.",
                        QueueDepth::waiting);
                bind(
                        registry,
                        queue,
                        "executing",
                        "Permits that runs of the queue hold, on all nodes.",
                        QueueDepth::inUse);
                bind(
                        registry,
                        queue,
                        "limit",
                        "Permits of the queue.",
                        depth -> depth.limits().atOnce());
                bind(
                        registry,
                        queue,
                        "paused",
                        "1 if the queue is paused, otherwise 0.",
                        depth -> depth.isPaused() ? 1 : 0);
                bind(
                        registry,
                        queue,
                        "oldest.wait",
                        "Longest wait of a run in the queue, in seconds.",
                        depth -> BacklogGauges.seconds(depth.oldest()));
            }
        } catch (RuntimeException failed) {
            logger.warn("Could not register the gauges of queues in {}", registry, failed);
        }
    }

    @Override
    public void begun(String queue, int runs) {
        begun.getOrDefault(queue, List.of()).forEach(counter -> counter.increment(runs));
    }

    private void bind(
            MeterRegistry registry,
            String queue,
            String name,
            String description,
            ToDoubleFunction<QueueDepth> figure) {
        Gauge.builder("saga.queue." + name, () -> figure(queue, figure))
                .description(description)
                .tag("queue", queue)
                .register(registry);
    }

    private double figure(String queue, ToDoubleFunction<QueueDepth> figure) {
        RunFacts known = survey.latest();
        return known == null
                ? Double.NaN
                : known.queues().stream()
                        .filter(depth -> depth.queue().equals(queue))
                        .mapToDouble(figure)
                        .findFirst()
                        .orElse(Double.NaN);
    }
}
