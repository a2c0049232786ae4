package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.due.Backlog;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of claims and background work at the time of a query.
 *
 * @param oldest the oldest claim of those that have been silent for the longest time, or null if there is none
 * @param stuck the number of stuck claims, by module
 * @param parked the number of parked pieces of background work, counted up to 10,000 in each database
 * @param backlog the background work that is due and that no node has picked up, by kind of work
 */
record ClaimFacts(@Nullable ClaimedRow oldest, Map<String, Integer> stuck, int parked, List<Backlog> backlog) {}
