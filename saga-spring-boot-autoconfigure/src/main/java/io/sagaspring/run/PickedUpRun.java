package io.sagaspring.run;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run that a node has picked up, with all that the node needs to go on.
 *
 * @param runLease the run with its token
 * @param run the name of its code
 * @param input the value that it was started with
 * @param carried the caller's surroundings, or null
 * @param journal from the first entry
 * @param standing what the run was told
 * @param now the store's clock
 * @param attempt how often it was picked up without an end or a wait, with this time
 * @param retries how often somebody retried it after it failed, or could not be compensated
 * @param interrupted whether the node that executed it before died, or had to leave it in the middle of a step: the next step may
 *     have begun
 * @param parked whether that happened too often: the run is not to be executed
 * @since 0.1.0
 */
public record PickedUpRun(
        RunLease runLease,
        String run,
        StoredValue input,
        @Nullable StoredValue carried,
        List<JournalEntry> journal,
        ControlState standing,
        Instant now,
        int attempt,
        int retries,
        boolean interrupted,
        boolean parked) {}
