package io.sagaspring.run;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Divides slots in the way that {@link RunExecutions#take(Set, int, int)} requires of every store: between kinds of
 * runs, and within a kind between new runs and runs that continue. Each lane with due runs gets its share of the slots,
 * so that a backlog in one lane does not delay another lane. The lane that was served longest ago comes first.
 *
 * @since 0.1.0
 */
public final class Lanes {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Lane, Long> served = new HashMap<>();
    private long services;

    /**
     * Runs that are picked up in the order in which they become due.
     *
     * @param run the name of their code
     * @param fresh true if no node has executed these runs yet
     */
    public record Lane(String run, boolean fresh) {}

    /** Creates an instance that has served no lane yet. */
    public Lanes() {}

    /**
     * Lists the lanes of these kinds of run in the order in which to serve them. Each kind has two lanes: one for new
     * runs and one for runs that continue.
     *
     * @param runs the kinds of run, each by the name of its code
     * @return the lanes; the lane that was served longest ago is first
     */
    public List<Lane> inTurn(Set<String> runs) {
        lock.lock();
        try {
            return of(runs).sorted(Comparator.comparing(each -> served.getOrDefault(each, 0L)))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lists the lanes of these kinds of run, regardless of when they were served. For each kind, the lane of the runs
     * that continue comes first, because callers or other runs may wait for them.
     *
     * @param runs the kinds of run, each by the name of its code
     * @return two lanes for each name
     */
    public static Stream<Lane> of(Set<String> runs) {
        return runs.stream().sorted().flatMap(run -> Stream.of(new Lane(run, false), new Lane(run, true)));
    }

    /**
     * Records that runs of these lanes have just been picked up.
     *
     * @param lanes the lanes
     */
    public void served(Collection<Lane> lanes) {
        lock.lock();
        try {
            services++;
            lanes.forEach(each -> served.put(each, services));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes one run from each lane in turn, round after round, until all slots are filled or no due run is left.
     *
     * @param slots the maximum number of runs to take
     * @param runs the kinds of run, each by the name of its code
     * @param due the function that finds the due runs of a lane; the run that has been due longest is first
     * @return the runs to pick up
     * @param <T> the type of a due run
     */
    public <T> List<T> dividing(int slots, Set<String> runs, Function<Lane, List<T>> due) {
        List<List<T>> each = inTurn(runs).stream().map(due).toList();
        return IntStream.range(0, slots)
                .boxed()
                .flatMap(nth -> each.stream().filter(lane -> nth < lane.size()).map(lane -> lane.get(nth)))
                .limit(slots)
                .toList();
    }
}
