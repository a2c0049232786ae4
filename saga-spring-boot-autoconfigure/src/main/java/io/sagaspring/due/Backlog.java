package io.sagaspring.due;

import java.time.Duration;

/**
 * Rows of one kind that are due and that no node has picked up yet.
 *
 * @param kind the name of a run, or of a queue
 * @param known whether this node has code for it: without, it picks none of them up
 * @param due how many there are, up to 1,000 of each kind
 * @param oldest for how long the oldest of them has been due
 * @since 0.1.0
 */
public record Backlog(String kind, boolean known, int due, Duration oldest) {}
