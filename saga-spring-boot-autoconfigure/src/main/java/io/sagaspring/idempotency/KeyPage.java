package io.sagaspring.idempotency;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of stored idempotency keys, latest first. A filter can make a page short or empty although there are further
 * keys, because each page reads at most 10,000 keys.
 *
 * @param keys the keys
 * @param next the text that the query for the next page needs, or null if there are no further keys
 * @since 0.1.0
 */
public record KeyPage(List<KeyView> keys, @Nullable String next) {}
