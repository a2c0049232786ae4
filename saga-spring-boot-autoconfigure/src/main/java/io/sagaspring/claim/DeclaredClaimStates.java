package io.sagaspring.claim;

import io.sagaspring.entity.EntityTable;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The claim states that the application declares, with the tables of their entities.
 *
 * @since 0.1.0
 */
public final class DeclaredClaimStates {

    private final Map<ClaimState, EntityTable> tables;

    /**
     * Creates the collection of the declared claim states.
     *
     * @param tables the tables of the entities, by claim state
     */
    public DeclaredClaimStates(Map<ClaimState, EntityTable> tables) {
        this.tables = Map.copyOf(tables);
    }

    /**
     * Lists the claim states in a stable order.
     *
     * @return all claim states
     */
    public List<ClaimState> all() {
        return tables.keySet().stream()
                .sorted((one, other) -> one.toString().compareTo(other.toString()))
                .toList();
    }

    /**
     * Lists the claim states that the janitor of one module covers.
     *
     * @param module the module
     * @return the module's claim states
     */
    public List<ClaimState> of(String module) {
        return all().stream().filter(state -> state.module().equals(module)).toList();
    }

    /**
     * Returns the table of a declared claim state's entity, for the current tenant.
     *
     * @param state the claim state
     * @return the entity's table
     * @throws IllegalArgumentException if the claim state is not declared, so that no janitor would free the entity
     */
    public EntityTable tableOf(ClaimState state) {
        EntityTable table = tables.get(state);
        if (table == null) {
            throw new IllegalArgumentException(
                    "The %s is not declared, so no janitor would free an entity that a crash leaves in this state. Declare the claim state in a workflow, or as a bean of type ClaimState."
                            .formatted(state));
        }
        return table.here();
    }

    /**
     * Returns the module that currently declares a claim state. The module's name may have changed since the entity was
     * claimed.
     *
     * @param name the name of the entity's table, as the ledger stores it
     * @param claimState the claim state
     * @return the module, or empty if this node does not declare the claim state
     */
    public Optional<String> moduleOf(String name, String claimState) {
        return tables.entrySet().stream()
                .filter(each -> each.getValue().here().name().equals(name)
                        && each.getKey().into().equals(claimState))
                .map(each -> each.getKey().module())
                .findFirst();
    }

    /**
     * Returns the tables of the current tenant to which a name in the ledger refers. Classes of one hierarchy share the
     * name.
     *
     * @param name the name of the entity's table, as the ledger stores it
     * @param claimState the claim state of the ledger's row
     * @param workflow the workflow of the ledger's row
     * @return the tables, with the workflow's table first; empty if this node has no such entity
     */
    public List<EntityTable> named(String name, String claimState, String workflow) {
        return tables.entrySet().stream()
                .filter(each -> each.getValue().here().name().equals(name)
                        && each.getKey().into().equals(claimState))
                .sorted(Comparator.comparing(each -> !each.getKey().workflow().equals(workflow)))
                .map(each -> each.getValue().here())
                .toList();
    }

    /**
     * Returns the claim states that are declared for one table.
     *
     * @param table the entity's table
     * @return the names of the claim states
     */
    public Collection<String> namesOn(EntityTable table) {
        return tables.entrySet().stream()
                .filter(each -> each.getValue().here().name().equals(table.name()))
                .map(each -> each.getKey().into())
                .collect(Collectors.toSet());
    }

    /**
     * Returns the tables of all declared claim states, for the current tenant.
     *
     * @return each table once
     */
    public Stream<EntityTable> tables() {
        return tables.values().stream().map(EntityTable::here).distinct();
    }
}
