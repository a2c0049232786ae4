package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.ElapsedClock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Searches, now and then, for entities that are in a claim state without a claim: restored data, or a status that was set
 * by hand. They get a claim without an owner, stamped now, and are freed a window later.
 */
final class Orphans {

    private static final Logger logger = LoggerFactory.getLogger(Orphans.class);

    /** Nodes that start together search once. */
    private static final Duration STARTING_TOGETHER = Duration.ofSeconds(10);

    private final ClaimRecovery recoveries;
    private final DeclaredClaimStates states;
    private final NodeTurns turns;
    private final Duration interval;
    private final ElapsedClock ticks;
    private final Map<String, Duration> searched = new ConcurrentHashMap<>();
    private final Set<EntityTable> advised = ConcurrentHashMap.newKeySet();

    Orphans(
            ClaimRecovery recoveries,
            DeclaredClaimStates states,
            NodeTurns turns,
            Duration interval,
            ElapsedClock ticks) {
        this.recoveries = recoveries;
        this.states = states;
        this.turns = turns;
        this.interval = interval;
        this.ticks = ticks;
    }

    void searchIfTime(String module) {
        Duration last = searched.get(module);
        boolean first = last == null;
        if (first || ticks.now().minus(last).compareTo(interval) >= 0) {
            searched.put(module, ticks.now());
            if (isOurTurn(module, first ? STARTING_TOGETHER : interval.dividedBy(2))) {
                recoveries.adoptOrphans(module).forEach((table, found) -> report(module, table, found));
            }
        }
    }

    private boolean isOurTurn(String module, Duration every) {
        return states.of(module).stream()
                .findFirst()
                .map(state -> states.tableOf(state)
                        .own()
                        .single(connection -> turns.take(connection, "orphans:" + module, every)))
                .orElse(false);
    }

    private void report(String module, EntityTable table, int found) {
        if (advised.add(table)) {
            logger.info(
                    "Module '{}' searches {} for entities that are in a claim state without a claim, every {}. On a large table this index makes that cheap: {}",
                    module,
                    table,
                    interval,
                    table.indexFor(states.namesOn(table)));
        }
        if (found > 0) {
            logger.warn(
                    "{} rows of {} are in a claim state, and nobody has claimed them. They are freed when module '{}' has not heard of them for its window",
                    found,
                    table,
                    module);
        }
    }
}
