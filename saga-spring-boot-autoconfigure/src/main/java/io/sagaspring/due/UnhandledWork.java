package io.sagaspring.due;

import java.time.Instant;

/**
 * Work that is due and that this node cannot do, because it has no handler of its queue.
 *
 * @param id the row
 * @param queue what kind of work it is
 * @param key the same over all deliveries of this work
 * @param attempts how often it was tried
 * @param dueSince since when it has been due, by the database's clock
 */
public record UnhandledWork(long id, String queue, String key, int attempts, Instant dueSince) {}
