package io.sagaspring.due;

import java.time.Instant;

/**
 * Work that failed so often that it waits for a person.
 *
 * @param id the row
 * @param queue what kind of work it is
 * @param key the same over all deliveries of this work
 * @param attempts how often it was tried
 * @param lastError why the last attempt failed
 * @param since when it was parked, or has been due if it was given up unparked, by the database's clock
 */
public record ParkedWork(long id, String queue, String key, int attempts, String lastError, Instant since) {}
