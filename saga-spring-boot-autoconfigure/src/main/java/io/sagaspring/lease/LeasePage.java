package io.sagaspring.lease;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of names of leases, ordered by name. A filter can make a page short or empty although there are further names,
 * because each page reads at most 10,000 names.
 *
 * @param leases the names
 * @param next the text that the query for the next page needs, or null if there are no further names
 * @since 0.1.0
 */
public record LeasePage(List<LeaseView> leases, @Nullable String next) {}
