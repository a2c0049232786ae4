package io.sagaspring.dashboard;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A page. The next one exists if {@code next} is not null, even if this page has few rows. */
record Paged<T>(List<T> items, @Nullable String next) {

    /** Creates a page of rows, of which the caller has read one more than the limit. */
    static <R, T> Paged<T> of(List<R> read, int limit, Function<R, String> place, Function<R, T> item) {
        return new Paged<>(
                read.stream().limit(limit).map(item).toList(),
                read.size() > limit ? place.apply(read.get(limit - 1)) : null);
    }
}
