package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Which module has a janitor, and whether all that need one do.
 *
 * @since 0.1.0
 */
public final class JanitorRegistry {

    private static final Logger logger = LoggerFactory.getLogger(JanitorRegistry.class);

    private final DeclaredClaimStates states;
    private final SweepTools tools;
    private final Function<String, Sweep.Settings> settings;
    private final Map<String, Sweep> sweeps = new ConcurrentHashMap<>();
    private final AtomicBoolean running = new AtomicBoolean();

    /**
     * What may be set.
     *
     * @param orphanInterval how often entities without a claim are searched for
     * @param modules what is set for a module
     */
    public record Settings(Duration orphanInterval, Function<String, Sweep.Settings> modules) {}

    /**
     * Nobody covers anything yet.
     *
     * @param states what has to be covered
     * @param recoveries free it
     * @param schema holds the turns
     * @param settings what is set
     * @param ticks measures what passes on this node
     * @param listeners are told of sweeps
     * @param events is told of recoveries
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
        this.tools = new SweepTools(recoveries, orphans, ticks, List.copyOf(listeners), events);
        this.settings = settings.modules();
    }

    /**
     * A janitor takes charge of a module.
     *
     * @param module the module
     * @param janitor its janitor
     */
    public void cover(String module, ScheduledClaimJanitor janitor) {
        if (states.of(module).isEmpty()) {
            logger.warn(
                    "{} is the janitor of module '{}', which declares no claim state. Is the module's name right? Those that do are: {}",
                    janitor.getClass().getName(),
                    module,
                    states.all().stream().map(ClaimState::module).distinct().toList());
        }
        Sweep sweep = new Sweep(module, settings.apply(module), tools, running::get, janitor::recovered);
        if (sweeps.putIfAbsent(module, sweep) != null) {
            throw new IllegalStateException(
                    "Module '%s' has two janitors; the second is %s. One is enough: any number of nodes may sweep, but each once."
                            .formatted(module, janitor.getClass().getName()));
        }
        janitor.bind(sweep);
    }

    /**
     * The modules that declare a claim state or have a janitor.
     *
     * @return their names, each once
     */
    public List<String> modules() {
        return Stream.concat(states.all().stream().map(ClaimState::module), sweeps.keySet().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * Refuses if anything is left uncovered.
     *
     * @throws io.sagaspring.startup.StartupFaultException naming every claim state without a janitor
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
     * The sweeps of all modules that have a janitor.
     *
     * @return one for each
     */
    public Collection<Sweep> sweeps() {
        return List.copyOf(sweeps.values());
    }

    /**
     * The sweep of one module.
     *
     * @param module the module
     * @return its sweep, or nothing where the module has no janitor here
     */
    public Optional<Sweep> sweep(String module) {
        return Optional.ofNullable(sweeps.get(module));
    }

    /**
     * The sweep that frees a claim.
     *
     * @param claim a row of the ledger
     * @return the sweep of the module that owns its state, or nothing where no janitor here does
     */
    public Optional<Sweep> sweepOf(ClaimedRow claim) {
        return states.moduleOf(claim.entity(), claim.claimState()).flatMap(this::sweep);
    }

    /** Lets sweeps begin. */
    public void start() {
        running.set(true);
    }

    /** Ends sweeps: what is being freed at this moment is freed. */
    public void stop() {
        running.set(false);
    }

    /** Waits for hooks and listeners that have not yet been told of recoveries, for at most 2 s in all. */
    public void awaitObservers() {
        long giveUp = System.nanoTime() + Duration.ofSeconds(2).toNanos();
        sweeps.values().forEach(sweep -> sweep.awaitObservers(giveUp));
    }
}
