package io.sagaspring.run;

/**
 * A permit of a queue, which lets one run execute. A run that was picked up again after its node died still holds it.
 *
 * @param queue the name of the queue
 * @param number the number of the permit
 * @param kept true if the run holds the permit also while it waits
 * @since 0.1.0
 */
public record Permit(String queue, int number, boolean kept) {}
