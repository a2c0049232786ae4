package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.fence.ElapsedClock;
import java.util.List;
import java.util.function.Predicate;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The components that the sweeps of all modules share.
 *
 * @param recoveries the component that reverts claims
 * @param orphans the search for entities in a claim state without a claim
 * @param ticks the clock that measures elapsed time on this node
 * @param listeners the listeners that are notified of sweeps
 * @param paused the check that returns true if the janitor of a module is paused
 * @param events the publisher of the events about freed entities
 */
record SweepTools(
        ClaimRecovery recoveries,
        Orphans orphans,
        ElapsedClock ticks,
        List<SweepListener> listeners,
        Predicate<String> paused,
        ApplicationEventPublisher events) {}
