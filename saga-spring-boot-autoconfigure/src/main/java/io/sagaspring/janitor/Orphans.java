package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.database.Database;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.ElapsedClock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The repeated search for orphans: entities in a claim state without a claim, for example after data was restored or a
 * status was set by hand. An orphan gets a claim without an owner, and is freed when that claim is stuck.
 */
final class Orphans {

    private static final Logger logger = LoggerFactory.getLogger(Orphans.class);

    /** The time within which nodes that start together search only once. */
    private static final Duration STARTING_TOGETHER = Duration.ofSeconds(10);

    private final ClaimRecovery recoveries;
    private final DeclaredClaimStates states;
    private final NodeTurns turns;
    private final Duration interval;
    private final ElapsedClock ticks;
    private final Map<Search, Duration> searched = new ConcurrentHashMap<>();
    private final Set<Class<?>> advised = ConcurrentHashMap.newKeySet();

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

    /** The search of a module in a database. */
    private record Search(Database database, String module) {}

    /** Forgets a database that no tenant uses any longer. */
    void forget(Database database) {
        searched.keySet().removeIf(each -> each.database() == database);
    }

    void searchIfDue(Database database, String module) {
        Search search = new Search(database, module);
        Duration last = searched.get(search);
        boolean first = last == null;
        if (first || ticks.now().minus(last).compareTo(interval) >= 0) {
            searched.put(search, ticks.now());
            if (isOurTurn(search, first ? STARTING_TOGETHER : interval.dividedBy(2))) {
                recoveries.adoptOrphans(
                        database,
                        module,
                        (table, found) -> report(module, table, found),
                        (tenant, failed) -> reportFailure(module, tenant, failed));
            }
        }
    }

    private boolean isOurTurn(Search search, Duration every) {
        return !states.of(search.module()).isEmpty()
                && search.database()
                        .own()
                        .single(connection -> turns.take(connection, "orphans:" + search.module(), every));
    }

    private void reportFailure(String module, @Nullable String tenant, RuntimeException failed) {
        if (tenant == null) {
            throw failed;
        }
        if (!recoveries.tenants().all().contains(tenant)) {
            logger.debug(
                    "Tenant '{}' was removed while the janitor of module '{}' searched it", tenant, module, failed);
            return;
        }
        logger.error(
                "The janitor of module '{}' could not search for entities of tenant '{}' in a claim state without a claim. The search continues for the other tenants",
                module,
                tenant,
                failed);
    }

    private void report(String module, EntityTable table, int found) {
        if (advised.add(table.entity())) {
            logger.info(
                    "The janitor of module '{}' searches {} for entities in a claim state without a claim, every {}. On a large table this index makes the search cheap: {}",
                    module,
                    table,
                    DurationText.of(interval),
                    table.indexFor(states.namesOn(table)));
        }
        if (found > 0) {
            logger.warn(
                    "Found entities in a claim state without a claim (number: {}), in {}. The janitor of module '{}' will free them after its stuck-after time",
                    found,
                    table,
                    module);
        }
    }
}
