package io.sagaspring.definition;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The readable part of a map whose keys are requesters.
 *
 * @param entries the values by the requester's name as the workflow lists it, or by {@code any}
 * @param written the setting of each entry, even if its value could not be read
 * @param whole true if every entry could be read; otherwise the rules about missing entries are not applied
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
