package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.database.Database;
import io.sagaspring.database.DatabaseWork;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The registry of the modules' janitors. The registry checks that each module with a claim state has a janitor.
 *
 * @since 0.1.0
 */
public final class JanitorRegistry implements DatabaseWork {

    private static final Logger logger = LoggerFactory.getLogger(JanitorRegistry.class);

    private final DeclaredClaimStates states;
    private final SweepTools tools;
    private final Function<String, Sweep.Settings> settings;
    private final Map<String, Sweep> sweeps = new ConcurrentHashMap<>();
    private final AtomicBoolean running = new AtomicBoolean();

    /**
     * The settings of the janitors.
     *
     * @param orphanInterval the time between two searches for entities in a claim state without a claim
     * @param modules the settings of each module, by its name
     * @param paused the check that returns true if the janitor of a module is paused; called at each sweep
     */
    public record Settings(
            Duration orphanInterval, Function<String, Sweep.Settings> modules, Predicate<String> paused) {

        /**
         * Creates settings of janitors that are never paused.
         *
         * @param orphanInterval the time between two searches for entities in a claim state without a claim
         * @param modules the settings of each module, by its name
         */
        public Settings(Duration orphanInterval, Function<String, Sweep.Settings> modules) {
            this(orphanInterval, modules, module -> false);
        }
    }

    /**
     * Creates a registry without janitors.
     *
     * @param states the claim states that need a janitor
     * @param recoveries the component that reverts claims
     * @param schema the schema of the library's tables
     * @param settings the settings
     * @param ticks the clock that measures elapsed time on this node
     * @param listeners the listeners that are notified of sweeps
     * @param events the publisher of the events about freed entities
     */
    public JanitorRegistry(
            DeclaredClaimStates states,
            ClaimRecovery recoveries,
            SagaSchema schema,
            Settings settings,
            ElapsedClock ticks,
            Collection<SweepListener> listeners,
            ApplicationEventPublisher events) {
        this.states = states;
        Orphans orphans = new Orphans(recoveries, states, new NodeTurns(schema), settings.orphanInterval(), ticks);
        this.tools = new SweepTools(recoveries, orphans, ticks, List.copyOf(listeners), settings.paused(), events);
        this.settings = settings.modules();
    }

    /**
     * Registers the janitor of a module.
     *
     * @param module the module
     * @param janitor the module's janitor
     * @throws IllegalStateException if the module already has a janitor
     */
    public void cover(String module, ScheduledClaimJanitor janitor) {
        if (states.of(module).isEmpty()) {
            logger.warn(
                    "{} is the janitor of module '{}', but the module declares no claim state. Check the module's name. Modules with claim states: {}",
                    janitor.getClass().getName(),
                    module,
                    states.all().stream().map(ClaimState::module).distinct().toList());
        }
        Sweep sweep = new Sweep(module, settings.apply(module), tools, running::get, janitor::recovered);
        if (sweeps.putIfAbsent(module, sweep) != null) {
            throw new IllegalStateException(
                    "Module '%s' has two janitors. The second one is %s. Remove one: a module needs one janitor on each node."
                            .formatted(module, janitor.getClass().getName()));
        }
        janitor.bind(sweep);
    }

    /**
     * Lists the modules that declare a claim state or have a janitor.
     *
     * @return the names, without duplicates
     */
    public List<String> modules() {
        return Stream.concat(states.all().stream().map(ClaimState::module), sweeps.keySet().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * Requires that each declared claim state has a janitor.
     *
     * @throws io.sagaspring.startup.StartupFaultException if a claim state has no janitor; the message names every such
     *     state
     */
    public void requireComplete() {
        List<ClaimState> gaps = states.all().stream()
                .filter(state -> !sweeps.containsKey(state.module()))
                .toList();
        if (!gaps.isEmpty()) {
            throw new UncoveredClaimStatesException(gaps);
        }
    }

    /**
     * Returns the sweeps of all modules that have a janitor.
     *
     * @return one sweep for each module
     */
    public Collection<Sweep> sweeps() {
        return List.copyOf(sweeps.values());
    }

    /**
     * Returns the sweep of one module.
     *
     * @param module the module
     * @return the sweep, or empty if the module has no janitor on this node
     */
    public Optional<Sweep> sweep(String module) {
        return Optional.ofNullable(sweeps.get(module));
    }

    /**
     * Lists the claims that have been silent for longer than stuck-after of their module, in all databases that answer.
     *
     * @param limit the greatest number of claims of each tenant in each database
     * @return the claims, by the name of each module that has a janitor on this node
     */
    public Map<String, List<ClaimedRow>> stuck(int limit) {
        return silent(limit, stuckAfter -> stuckAfter);
    }

    /**
     * Lists the claims that have been silent for longer than half of stuck-after of their module, in all databases that
     * answer. With the default interval of heartbeats, the owner of such a claim has missed at least one of them.
     *
     * @param limit the greatest number of claims of each tenant in each database
     * @return the claims, by the name of each module that has a janitor on this node
     */
    public Map<String, List<ClaimedRow>> silent(int limit) {
        return silent(limit, stuckAfter -> stuckAfter.dividedBy(2));
    }

    private Map<String, List<ClaimedRow>> silent(int limit, UnaryOperator<Duration> longest) {
        Map<String, List<ClaimedRow>> silent = new TreeMap<>();
        sweeps.values()
                .forEach(sweep -> silent.put(
                        sweep.module(),
                        tools.recoveries()
                                .stuck(
                                        sweep.module(),
                                        longest.apply(sweep.settings().stuckAfter()),
                                        limit)));
        return silent;
    }

    /**
     * Returns the sweep that may free a claim.
     *
     * @param claim a row of the ledger
     * @return the sweep of the module that declares the row's claim state, or empty if this node has no such sweep
     */
    public Optional<Sweep> sweepOf(ClaimedRow claim) {
        return tools.recoveries()
                .tenants()
                .in(claim.tenant(), () -> states.moduleOf(claim.entity(), claim.claimState()))
                .flatMap(this::sweep);
    }

    @Override
    public void turn(Database database) {
        sweeps.values().forEach(sweep -> sweep.runIfDue(database));
    }

    @Override
    public void end(Database database) {
        sweeps.values().forEach(sweep -> sweep.forget(database));
    }

    /** Allows sweeps to run. */
    public void start() {
        running.set(true);
    }

    /** Ends sweeps. An entity that is being freed at this moment is still freed. */
    public void stop() {
        running.set(false);
    }

    /**
     * Waits until all listeners and the janitors' {@code recovered} methods have handled the freed entities. The wait
     * ends after 2 s at the latest, for all modules together.
     */
    public void awaitObservers() {
        long giveUp = System.nanoTime() + Duration.ofSeconds(2).toNanos();
        sweeps.values().forEach(sweep -> sweep.awaitObservers(giveUp));
    }
}
