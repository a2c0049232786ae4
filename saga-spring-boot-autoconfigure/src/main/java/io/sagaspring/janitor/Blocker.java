package io.sagaspring.janitor;

import io.sagaspring.fence.LogText;
import java.time.OffsetDateTime;

/**
 * A backend of the database whose open transaction makes other transactions wait.
 *
 * @param pid the id of the backend's process
 * @param description the user, application, client address and state, in readable form
 * @param backendStart the time at which the process began to serve its client
 * @param transactionStart the time at which the open transaction began
 */
record Blocker(int pid, String description, OffsetDateTime backendStart, OffsetDateTime transactionStart) {

    @Override
    public String toString() {
        return "backend %s (%s)".formatted(pid, LogText.of(description));
    }
}
