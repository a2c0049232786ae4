package io.sagaspring.run.queue;

import io.sagaspring.startup.StartupFaultException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * The queues that an application declares, as beans and as properties. All faults are reported together.
 *
 * @since 0.1.0
 */
public final class Queues {

    /** No queues. */
    public static final Queues NONE = new Queues(List.of(), Map.of());

    private final Map<String, RunQueue> byName = new TreeMap<>();

    /**
     * Collects the declarations.
     *
     * @param beans the queues that are declared as beans
     * @param properties the properties by the names of their queues; they override a queue's bean, or declare a queue
     *     that has no bean
     * @throws StartupFaultException if a declaration cannot work
     */
    public Queues(Collection<RunQueue> beans, Map<String, RunQueue.Overrides> properties) {
        List<String> faults = new ArrayList<>();
        Map<String, RunQueue> declared = new LinkedHashMap<>();
        for (RunQueue bean : beans) {
            if (declared.putIfAbsent(bean.name(), bean) != null) {
                faults.add(
                        "Two beans declare the queue '%s'. Remove one of them, or rename it.".formatted(bean.name()));
            }
        }
        properties.forEach((name, overrides) -> declared.put(
                name, declared.getOrDefault(name, RunQueue.named(name)).with(overrides)));
        for (RunQueue queue : declared.values()) {
            List<String> own = queue.faults();
            if (properties.containsKey(queue.name())) {
                own = own.stream()
                        .map(fault -> "%s (saga.runs.queues.%s)".formatted(fault, queue.name()))
                        .toList();
            }
            faults.addAll(own);
        }
        if (!faults.isEmpty()) {
            throw new InvalidQueuesException(faults);
        }
        byName.putAll(declared);
    }

    /**
     * Returns the names of all declared queues.
     *
     * @return the names, in alphabetical order
     */
    public Set<String> names() {
        return byName.keySet();
    }

    /**
     * Returns all declared queues.
     *
     * @return the queues, ordered by name
     */
    public Collection<RunQueue> all() {
        return byName.values();
    }

    /**
     * Requires that a queue is declared.
     *
     * @param name the name of the queue
     * @throws NoSuchQueueException if no bean and no property declares it
     */
    public void require(String name) {
        if (!byName.containsKey(name)) {
            throw new NoSuchQueueException(name, names());
        }
    }

    /**
     * Requires that a queue is declared, and that the runs of a key execute one after the other, each until it has ended.
     *
     * @param name the name of the queue
     * @throws NoSuchQueueException if no bean and no property declares it
     * @throws IllegalArgumentException if the queue lets a run begin before the previous run with its key has ended
     */
    public void requireOneByOne(String name) {
        require(name);
        RunQueue queue = Objects.requireNonNull(byName.get(name));
        Integer each = queue.limits().atOnceForEach();
        if (each == null || each != 1 || !queue.isKeepingPermits()) {
            throw new IllegalArgumentException(
                    "The queue '%s' (%s) may execute two runs with one key at the same time, so orReplace() and quietFor(…) cannot use it. Declare it with atOnceForEach(1) and keepsPermits(), or call in(\"…\") with another queue."
                            .formatted(name, queue));
        }
    }

    /**
     * Requires a store with queues, if any queue is declared.
     *
     * @param hasStore true if the store of runs has queues
     * @throws StartupFaultException if queues are declared, and the store has none
     */
    public void requireStore(boolean hasStore) {
        if (!hasStore && !byName.isEmpty()) {
            throw new InvalidQueuesException(List.of(
                    "The queues %s are declared, but the application's store of runs has no queues. Declare a QueueStore bean, or use the store on PostgreSQL."
                            .formatted(names())));
        }
    }

    /** Reports queues that cannot work. */
    static final class InvalidQueuesException extends StartupFaultException {

        private static final long serialVersionUID = 1L;

        InvalidQueuesException(List<String> faults) {
            super("This application's queues have faults", faults, "Correct each fault as described above.");
        }
    }
}
