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
 * Divides slots as {@link RunExecutions#take(Set, int, int)} asks of every store: between kinds of runs, and between what is new of a
 * kind and what goes on. A backlog of one lane does not delay another one: each lane with due runs gets its share of the slots,
 * and the lane that was served longest ago comes first.
 *
 * @since 0.1.0
 */
public final class Lanes {

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Lane, Long> served = new HashMap<>();
    private long services;

    /**
     * Runs that are picked up in the order in which they are due.
     *
     * @param run the name of their code
     * @param fresh whether no node has had them yet
     */
    public record Lane(String run, boolean fresh) {}

    /** Creates lanes of which none was served. */
    public Lanes() {}

    /**
     * Lists the lanes of these runs.
     *
     * @param runs the names of their code
     * @return the lane that was served longest ago comes first
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
     * Lists the lanes of these runs, whichever were served. What was begun comes first: it holds up what waits for it.
     *
     * @param runs the names of their code
     * @return two lanes for each name
     */
    public static Stream<Lane> of(Set<String> runs) {
        return runs.stream().sorted().flatMap(run -> Stream.of(new Lane(run, false), new Lane(run, true)));
    }

    /**
     * Remembers that runs of these lanes were picked up just now.
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
     * Takes one run of each lane in turn, and so on, until the slots are used.
     *
     * @param slots the number of runs to take at most
     * @param runs the names of their code
     * @param due finds the due runs of a lane, the longest due first
     * @return the runs to pick up
     * @param <T> a due run
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
