package io.sagaspring.due;

import java.time.Duration;

/**
 * Rows of one kind that are due and that no node has picked up yet.
 *
 * @param kind the name of a run, or of a queue
 * @param known true if this node has code for the kind; otherwise it picks up none of the rows
 * @param due the number of rows, counted up to 1,000
 * @param oldest the time since the oldest row became due
 * @since 0.1.0
 */
public record Backlog(String kind, boolean known, int due, Duration oldest) {}
