package io.sagaspring.claim;

import io.sagaspring.database.Database;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.tenant.Tenants;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes a row into the ledger for each entity that is in a claim state without a claim. */
final class OrphanAdoption {

    private final ClaimLedger ledger;
    private final DeclaredClaimStates states;
    private final Tenants tenants;

    OrphanAdoption(ClaimLedger ledger, DeclaredClaimStates states) {
        this.ledger = ledger;
        this.states = states;
        this.tenants = ledger.tenants();
    }

    /** Searches the tables of all tenants of a database. If the search for a tenant fails, searches for the others. */
    void adopt(
            Database database,
            String module,
            BiConsumer<EntityTable, Integer> adopted,
            BiConsumer<@Nullable String, RuntimeException> failures) {
        Set<EntityTable> searched = new HashSet<>();
        for (Optional<String> each : tenantsWithTables(database)) {
            String tenant = each.orElse(null);
            try {
                tenants.run(tenant, () -> adoptHere(database, module, tenant, searched, adopted));
            } catch (RuntimeException failed) {
                failures.accept(tenant, failed);
            }
        }
    }

    private List<Optional<String>> tenantsWithTables(Database database) {
        return tenants.all().isEmpty()
                ? List.of(Optional.empty())
                : ledger.databases().tenantsIn(database).stream()
                        .map(Optional::of)
                        .toList();
    }

    /** Searches the tables of the current tenant, unless they were already searched for another tenant. */
    private void adoptHere(
            Database database,
            String module,
            @Nullable String tenant,
            Set<EntityTable> searched,
            BiConsumer<EntityTable, Integer> adopted) {
        Map<EntityTable, List<ClaimState>> byTable =
                states.of(module).stream().collect(Collectors.groupingBy(states::tableOf));
        byTable.forEach((table, declared) -> {
            if (table.database() == database && !searched.contains(table)) {
                int found = table.own()
                        .single(connection -> ledger.rows().adoptOrphans(connection, table, declared, tenant));
                searched.add(table);
                adopted.accept(table, found);
            }
        });
    }
}
