package io.sagaspring.claim;

import io.sagaspring.entity.EntityTable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every claim state that the application declares, with the table of its entity.
 *
 * @since 0.1.0
 */
public final class DeclaredClaimStates {

    private final Map<ClaimState, EntityTable> tables;

    /**
     * All of them.
     *
     * @param tables the entity's table by claim state
     */
    public DeclaredClaimStates(Map<ClaimState, EntityTable> tables) {
        this.tables = Map.copyOf(tables);
    }

    /**
     * The claim states, in a stable order.
     *
     * @return all of them
     */
    public List<ClaimState> all() {
        return tables.keySet().stream()
                .sorted((one, other) -> one.toString().compareTo(other.toString()))
                .toList();
    }

    /**
     * What one module's janitor has to cover.
     *
     * @param module the module
     * @return its claim states
     */
    public List<ClaimState> of(String module) {
        return all().stream().filter(state -> state.module().equals(module)).toList();
    }

    /**
     * The table of a declared state's entity.
     *
     * @param state the claim state
     * @return its entity's table
     * @throws IllegalArgumentException if nobody has declared it: then no janitor would free it
     */
    public EntityTable tableOf(ClaimState state) {
        EntityTable table = tables.get(state);
        if (table == null) {
            throw new IllegalArgumentException(
                    "The %s is not declared, so no janitor would free what a crash leaves in it. Declare it in a workflow, or as a bean of type ClaimState."
                            .formatted(state));
        }
        return table;
    }

    /**
     * The module that owns a claim state today, whatever its name was when somebody claimed into it.
     *
     * @param name the name of the entity's table, as the ledger has it
     * @param claimState the state
     * @return its module, or nothing if nobody here declares it
     */
    public Optional<String> moduleOf(String name, String claimState) {
        return tables.entrySet().stream()
                .filter(each -> each.getValue().name().equals(name)
                        && each.getKey().into().equals(claimState))
                .map(each -> each.getKey().module())
                .findFirst();
    }

    /**
     * The tables that a name in the ledger stands for. Classes of one hierarchy share it.
     *
     * @param name as the ledger has it
     * @param claimState the claim state the row is about
     * @return the tables, none where this node knows no such entity
     */
    public List<EntityTable> named(String name, String claimState) {
        return tables.entrySet().stream()
                .filter(each -> each.getValue().name().equals(name)
                        && each.getKey().into().equals(claimState))
                .map(Map.Entry::getValue)
                .toList();
    }

    /**
     * The claim states that entities of one table may be in.
     *
     * @param table an entity's table
     * @return their names
     */
    public Collection<String> namesOn(EntityTable table) {
        return tables.entrySet().stream()
                .filter(each -> each.getValue().name().equals(table.name()))
                .map(each -> each.getKey().into())
                .collect(Collectors.toSet());
    }

    /**
     * Every table that claims are about.
     *
     * @return each once
     */
    public Stream<EntityTable> tables() {
        return tables.values().stream().distinct();
    }
}
