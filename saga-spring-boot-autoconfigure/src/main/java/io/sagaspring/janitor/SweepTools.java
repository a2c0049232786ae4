package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.fence.ElapsedClock;
import java.util.List;
import org.springframework.context.ApplicationEventPublisher;

/**
 * What the sweeps of all modules share.
 *
 * @param recoveries free what is stuck
 * @param orphans finds entities without a claim
 * @param ticks measures what passes on this node
 * @param listeners are told of sweeps
 * @param events is told of recoveries
 */
record SweepTools(
        ClaimRecovery recoveries,
        Orphans orphans,
        ElapsedClock ticks,
        List<SweepListener> listeners,
        ApplicationEventPublisher events) {}
