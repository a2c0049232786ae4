package io.sagaspring.test.saga;

import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The queues of a test. In each queue that the test has filled, other runs seem to hold all permits, so no run begins.
 */
final class FullQueues implements QueueStore {

    private final QueueStore queues;
    private final Set<String> full;

    FullQueues(QueueStore queues, Set<String> full) {
        this.queues = queues;
        this.full = full;
    }

    @Override
    public Optional<String> declare(RunQueue queue) {
        return queues.declare(queue);
    }

    @Override
    public Optional<Duration> untilNext(Set<String> names, Duration within) {
        return queues.untilNext(
                names.stream().filter(each -> !full.contains(each)).collect(Collectors.toSet()), within);
    }

    @Override
    public List<Cancelled> join(Set<String> names) {
        return queues.join(names);
    }

    @Override
    public List<PickedUpRun> take(String queue, Set<String> runs, int slots) {
        return full.contains(queue) ? List.of() : queues.take(queue, runs, slots);
    }

    @Override
    public boolean pause(String queue, String why, String by) {
        return queues.pause(queue, why, by);
    }

    @Override
    public boolean resume(String queue) {
        return queues.resume(queue);
    }

    @Override
    public boolean limits(String queue, QueueLimits limits, String why, String by) {
        return queues.limits(queue, limits, why, by);
    }

    @Override
    public List<QueueDepth> depths() {
        return queues.depths().stream()
                .map(each -> full.contains(each.queue()) ? filled(each) : each)
                .toList();
    }

    private static QueueDepth filled(QueueDepth depth) {
        return new QueueDepth(
                depth.queue(),
                depth.limits(),
                depth.limits().atOnce(),
                depth.waiting(),
                depth.oldest(),
                depth.change(),
                depth.pause());
    }

    @Override
    public int reclaim(Set<String> names, Duration after) {
        return queues.reclaim(names, after);
    }
}
