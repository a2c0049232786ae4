package io.sagaspring.janitor;

import io.sagaspring.fence.LogText;
import java.time.OffsetDateTime;

/**
 * A backend of the database whose transaction keeps others out.
 *
 * @param pid its process
 * @param description what the database knows of it
 * @param backendStart since when the process serves its client
 * @param transactionStart since when its transaction is open
 */
record Blocker(int pid, String description, OffsetDateTime backendStart, OffsetDateTime transactionStart) {

    @Override
    public String toString() {
        return "backend %s (%s)".formatted(pid, LogText.of(description));
    }
}
