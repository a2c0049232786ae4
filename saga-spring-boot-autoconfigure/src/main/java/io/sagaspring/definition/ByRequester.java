package io.sagaspring.definition;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A map by requester as far as it could be read.
 *
 * @param entries by the requester's name as the workflow lists it, or {@code any}
 * @param written what each entry was read from
 * @param whole whether nothing was left out; where something was, the rules about what is absent say nothing
 */
record ByRequester<T>(Map<String, T> entries, Map<String, Setting> written, boolean whole) {

    static <T> ByRequester<T> absent() {
        return new ByRequester<>(Map.of(), Map.of(), true);
    }

    static <T> ByRequester<T> unreadable() {
        return new ByRequester<>(Map.of(), Map.of(), false);
    }

    @Nullable
    T of(String requester) {
        T own = entries.get(requester);
        return own != null ? own : entries.get(Requester.ANY);
    }

    boolean has(String requester) {
        return of(requester) != null;
    }

    List<T> values() {
        return List.copyOf(entries.values());
    }

    <R> StepDefinition.PerRequester<R> map(Function<T, R> value) {
        Map<String, R> mapped = new LinkedHashMap<>();
        entries.forEach((requester, entry) -> mapped.put(requester, value.apply(entry)));
        return new StepDefinition.PerRequester<>(mapped);
    }
}
