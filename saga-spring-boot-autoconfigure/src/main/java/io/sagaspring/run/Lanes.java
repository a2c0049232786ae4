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
 * Divides slots between kinds of runs, and between what is new of a kind and what goes on. A backlog of one lane does not delay
 * another one: each lane with due runs gets its share of the slots, and the lane that was served longest ago comes first.
 */
final class Lanes {

    /**
     * Runs that are taken in the order in which they are due.
     *
     * @param run the name of their code
     * @param fresh whether no node has had them yet
     */
    record Lane(String run, boolean fresh) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Lane, Long> served = new HashMap<>();
    private long services;

    /** Returns the lanes of these runs, the one that was served longest ago first. */
    List<Lane> inTurn(Set<String> runs) {
        lock.lock();
        try {
            return of(runs).sorted(Comparator.comparing(each -> served.getOrDefault(each, 0L)))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /** What was begun comes first where nothing was served: it holds up what waits for it. */
    static Stream<Lane> of(Set<String> runs) {
        return runs.stream().sorted().flatMap(run -> Stream.of(new Lane(run, false), new Lane(run, true)));
    }

    void served(Collection<Lane> lanes) {
        lock.lock();
        try {
            services++;
            lanes.forEach(each -> served.put(each, services));
        } finally {
            lock.unlock();
        }
    }

    /** Returns one of each lane in turn, and so on, until the slots are used. */
    <T> List<T> dividing(int slots, Set<String> runs, Function<Lane, List<T>> due) {
        List<List<T>> each = inTurn(runs).stream().map(due).toList();
        return IntStream.range(0, slots)
                .boxed()
                .flatMap(nth -> each.stream().filter(lane -> nth < lane.size()).map(lane -> lane.get(nth)))
                .limit(slots)
                .toList();
    }
}
