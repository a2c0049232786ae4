package io.sagaspring.schedule;

/**
 * The result of a backfill.
 *
 * @param started the number of runs that were started
 * @param waiting the number of firings that wait until the run of the previous firing has ended
 * @param existing the number of instants that had fired before and whose runs still exist
 * @since 0.1.0
 */
public record BackfillResult(int started, int waiting, int existing) {}
