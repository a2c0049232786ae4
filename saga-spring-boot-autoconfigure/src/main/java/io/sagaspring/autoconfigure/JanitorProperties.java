package io.sagaspring.autoconfigure;

import io.sagaspring.definition.Key;
import io.sagaspring.janitor.Sweep;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for janitors.
 *
 * @param interval Time between two sweeps.
 * @param stuckAfter Time since the last heartbeat of a claim after which a janitor may revert it.
 * @param orphanInterval Time between two searches for orphans: entities in a claim state without a claim.
 * @param terminateBlockers Whether a janitor ends a database session whose transaction has locked a stuck entity and is older than stuck-after.
 * @param modules Settings of single modules, by module name.
 */
@ConfigurationProperties("saga.janitor")
record JanitorProperties(
        @DefaultValue("2m") Duration interval,
        @DefaultValue("5m") Duration stuckAfter,
        @DefaultValue("1h") Duration orphanInterval,
        @DefaultValue("false") boolean terminateBlockers,
        @DefaultValue Map<String, Module> modules) {

    private static final Duration LEAST_INTERVAL = Duration.ofMillis(200);
    private static final Duration LEAST_STUCK_AFTER = Duration.ofSeconds(1);

    /**
     * Settings of one module. A setting that is absent here has the value that is set for all modules.
     *
     * @param interval Time between two sweeps of this module.
     * @param stuckAfter Time since the last heartbeat of a claim of this module after which its janitor may revert it.
     * @param defaultJanitor Whether the library provides a janitor for this module.
     */
    record Module(
            @Nullable Duration interval,
            @Nullable Duration stuckAfter,
            @DefaultValue("false") boolean defaultJanitor) {}

    /**
     * Finds the settings of a module. Names that differ only in dashes, underscores or case name the same module,
     * because an environment variable cannot show the difference.
     */
    private @Nullable Module own(String module) {
        Module exact = modules.get(module);
        return exact != null
                ? exact
                : modules.entrySet().stream()
                        .filter(each -> Key.relaxed(each.getKey()).equals(Key.relaxed(module)))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(null);
    }

    boolean hasDefaultJanitor(String module) {
        Module own = own(module);
        return own != null && own.defaultJanitor();
    }

    Sweep.Settings of(String module) {
        return new Sweep.Settings(interval(module), tick(), stuckAfterOf(module), terminateBlockers);
    }

    Duration stuckAfterOf(String module) {
        Module own = own(module);
        return own == null || own.stuckAfter() == null
                ? Limits.atLeast("saga.janitor.stuck-after", stuckAfter, LEAST_STUCK_AFTER)
                : Limits.atLeast(property(module, "stuck-after"), own.stuckAfter(), LEAST_STUCK_AFTER);
    }

    /** Returns the shortest interval of any module. At this interval, each janitor checks whether a sweep is due. */
    Duration tick() {
        return Stream.concat(
                        Stream.of(Limits.atLeast("saga.janitor.interval", interval, LEAST_INTERVAL)),
                        modules.keySet().stream().map(this::interval))
                .min(Duration::compareTo)
                .orElseThrow();
    }

    Duration shortestStuckAfter() {
        return Stream.concat(
                        Stream.of(Limits.atLeast("saga.janitor.stuck-after", stuckAfter, LEAST_STUCK_AFTER)),
                        modules.keySet().stream().map(this::stuckAfterOf))
                .min(Duration::compareTo)
                .orElseThrow();
    }

    Duration checkedOrphanInterval() {
        return Limits.atLeast("saga.janitor.orphan-interval", orphanInterval, LEAST_INTERVAL);
    }

    private Duration interval(String module) {
        Module own = own(module);
        return own == null || own.interval() == null
                ? Limits.atLeast("saga.janitor.interval", interval, LEAST_INTERVAL)
                : Limits.atLeast(property(module, "interval"), own.interval(), LEAST_INTERVAL);
    }

    private static String property(String module, String name) {
        return "saga.janitor.modules.%s.%s".formatted(module, name);
    }
}
