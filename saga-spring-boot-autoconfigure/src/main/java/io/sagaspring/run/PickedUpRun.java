package io.sagaspring.run;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run that a node has picked up, with everything that the node needs to continue it.
 *
 * @param runLease the run with its fencing token
 * @param run the name of its code
 * @param tenant the tenant in which the run is executed, or null
 * @param input the input of the run
 * @param carried the caller's context, or null
 * @param journal the journal's entries, in order
 * @param controlState the control state of the run
 * @param now the current time by the store's clock
 * @param attempt the number of times that the run has been picked up since it last made progress, including this time;
 * a new journal entry or a wait resets the count
 * @param retries the number of times that the run has been retried after it failed or could not be compensated
 * @param interrupted true if the previous node died in a step, or had to release the run in a step: the next step
 *     may already have begun
 * @param parked true if the run was picked up too often and must not be executed
 * @since 0.1.0
 */
public record PickedUpRun(
        RunLease runLease,
        String run,
        @Nullable String tenant,
        StoredValue input,
        @Nullable StoredValue carried,
        List<JournalEntry> journal,
        ControlState controlState,
        Instant now,
        int attempt,
        int retries,
        boolean interrupted,
        boolean parked) {}
