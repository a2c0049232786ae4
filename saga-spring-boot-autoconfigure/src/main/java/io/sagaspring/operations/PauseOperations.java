package io.sagaspring.operations;

import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.operations.Audit.Request;
import io.sagaspring.pause.Pause.Kind;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.RunEngine;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The operations that pause kinds of runs and janitors. A pause applies to all nodes and survives restarts.
 *
 * @since 0.1.0
 */
public final class PauseOperations {

    private final Pauses pauses;
    private final Supplier<@Nullable RunEngine> engine;
    private final Supplier<@Nullable JanitorRegistry> janitors;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param pauses the store of the pauses
     * @param engine the supplier of the engine that knows the kinds of runs, or of null if runs are disabled
     * @param janitors the supplier of the registry that knows the janitors, or of null if workflows are disabled
     * @param audit the audit of the operations
     */
    public PauseOperations(
            Pauses pauses,
            Supplier<@Nullable RunEngine> engine,
            Supplier<@Nullable JanitorRegistry> janitors,
            Audit audit) {
        this.pauses = pauses;
        this.engine = engine;
        this.janitors = janitors;
        this.audit = audit;
    }

    /**
     * Pauses a kind of runs. No node picks up a run of this kind any more. Runs that are executing continue until they
     * end or wait. Starts are accepted, and the runs wait.
     *
     * @param name the name of the run class or the saga
     * @param reason the reason
     * @param operator the person
     * @return the result
     */
    public OperationResult pauseKind(String name, String reason, Operator operator) {
        return pause("kind", Kind.RUN, name, reason, operator);
    }

    /**
     * Resumes a kind of runs.
     *
     * @param name the name of the run class or the saga
     * @param operator the person
     * @return the result
     */
    public OperationResult resumeKind(String name, Operator operator) {
        return resume("kind", Kind.RUN, name, operator);
    }

    /**
     * Pauses the janitor of a module. No node frees stuck claims of this module any more.
     *
     * @param module the module
     * @param reason the reason
     * @param operator the person
     * @return the result
     */
    public OperationResult pauseJanitor(String module, String reason, Operator operator) {
        return pause("janitor", Kind.JANITOR, module, reason, operator);
    }

    /**
     * Resumes the janitor of a module.
     *
     * @param module the module
     * @param operator the person
     * @return the result
     */
    public OperationResult resumeJanitor(String module, Operator operator) {
        return resume("janitor", Kind.JANITOR, module, operator);
    }

    private OperationResult pause(String target, Kind kind, String name, String reason, Operator operator) {
        Request request = new Request(target + ".pause", OperationTarget.of(target, name), operator, reason);
        return audit.perform(request, () -> {
            if (!isKnown(kind, name)) {
                return unknown(kind, name);
            }
            return pauses.pause(kind, name, operator.toString(), reason)
                    ? OperationResult.accepted(described(kind, name, "paused"))
                    : OperationResult.refused(described(kind, name, "already paused"));
        });
    }

    /** Resumes also what this node does not know, because a later version of the application may lack it. */
    private OperationResult resume(String target, Kind kind, String name, Operator operator) {
        Request request = new Request(target + ".resume", OperationTarget.of(target, name), operator, null);
        return audit.perform(request, () -> {
            if (name.indexOf('\0') < 0 && pauses.resume(kind, name)) {
                return OperationResult.accepted(described(kind, name, "resumed"));
            }
            return isKnown(kind, name)
                    ? OperationResult.refused(described(kind, name, "not paused"))
                    : unknown(kind, name);
        });
    }

    private boolean isKnown(Kind kind, String name) {
        if (kind == Kind.RUN) {
            RunEngine runs = engine.get();
            return runs != null && runs.names().contains(name);
        }
        JanitorRegistry registry = janitors.get();
        return registry != null && registry.sweep(name).isPresent();
    }

    private static String described(Kind kind, String name, String state) {
        return kind == Kind.RUN
                ? "The kind of runs '%s' is %s.".formatted(name, state)
                : "The janitor of module '%s' is %s.".formatted(name, state);
    }

    private static OperationResult unknown(Kind kind, String name) {
        return OperationResult.unknown(
                kind == Kind.RUN
                        ? "This node has no run class and no saga with the name '%s'. Send the request to a node that has it."
                                .formatted(name)
                        : "This node has no janitor of a module '%s'. Send the request to a node that has it."
                                .formatted(name));
    }
}
