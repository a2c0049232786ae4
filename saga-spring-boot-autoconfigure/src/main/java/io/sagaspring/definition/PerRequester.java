package io.sagaspring.definition;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A setting that may differ by requester. The requester's own entry wins over {@code any}.
 *
 * @param entries by the requester's name, or {@code any}
 * @param <T> what is set
 */
public record PerRequester<T>(Map<String, T> entries) {

    /**
     * The entries, in the order in which they were written.
     *
     * @param entries by the requester's name, or {@code any}
     */
    public PerRequester {
        entries = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    static <T> PerRequester<T> none() {
        return new PerRequester<>(Map.of());
    }

    /**
     * What applies to this requester.
     *
     * @param requester who asks
     * @return the requester's own entry, else that of {@code any}, else nothing
     */
    public Optional<T> of(Requester requester) {
        T own = entries.get(requester.name());
        return Optional.ofNullable(own != null ? own : entries.get(Requester.ANY));
    }

    /**
     * Every value that some requester may meet.
     *
     * @return the values, in the order in which they were written
     */
    public Collection<T> values() {
        return entries.values();
    }
}
