package io.sagaspring.actuate;

import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import io.sagaspring.operations.PauseOperations;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pauses;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Lists what is paused, and pauses and resumes kinds of runs and janitors. Only reading is allowed unless {@code
 * management.endpoint.sagapauses.access} is {@code unrestricted}. Queues and schedules have endpoints of their own.
 */
@Endpoint(id = "sagapauses", defaultAccess = Access.READ_ONLY)
final class PausesEndpoint {

    private static final String KIND = "kind";
    private static final String JANITOR = "janitor";

    private final Pauses pauses;
    private final PauseOperations operations;

    /**
     * Creates the endpoint.
     *
     * @param pauses the store of the pauses
     * @param operations the operations that pause kinds of runs and janitors
     */
    public PausesEndpoint(Pauses pauses, PauseOperations operations) {
        this.pauses = pauses;
        this.operations = operations;
    }

    /**
     * The list of what is paused.
     *
     * @param pauses the pauses
     */
    public record Listed(List<Shown> pauses) {}

    /**
     * A pause.
     *
     * @param what {@code kind} for a kind of runs, or {@code janitor}
     * @param name the name of the run class or the saga, or the module of the janitor
     * @param at the time at which it was paused, by the database clock
     * @param age the time since then
     * @param by the person who paused it
     * @param why the reason
     */
    public record Shown(String what, String name, Instant at, Duration age, String by, String why) {

        static Shown of(Pause pause) {
            return new Shown(
                    pause.kind() == Pause.Kind.RUN ? KIND : JANITOR,
                    pause.name(),
                    pause.at(),
                    pause.age(),
                    pause.by(),
                    pause.why());
        }
    }

    /**
     * Lists what is paused.
     *
     * @return the pauses
     */
    @ReadOperation
    public Listed list() {
        return new Listed(pauses.all().stream().map(Shown::of).toList());
    }

    /**
     * Pauses a kind of runs or a janitor on all nodes.
     *
     * @param what {@code kind} or {@code janitor}
     * @param name the name of the run class or the saga, or the module of the janitor
     * @param reason the reason
     * @return the result
     */
    @WriteOperation
    public OperationResult pause(@Selector String what, @Selector String name, @Nullable String reason) {
        return pause(what, name, reason, CurrentOperator.UNKNOWN);
    }

    OperationResult pause(String what, String name, @Nullable String reason, Operator operator) {
        boolean isKind = isKind(what);
        String why = Given.required("reason", reason, Given.A_REASON);
        return isKind ? operations.pauseKind(name, why, operator) : operations.pauseJanitor(name, why, operator);
    }

    /**
     * Resumes a kind of runs or a janitor on all nodes.
     *
     * @param what {@code kind} or {@code janitor}
     * @param name the name of the run class or the saga, or the module of the janitor
     * @return the result
     */
    @DeleteOperation
    public OperationResult resume(@Selector String what, @Selector String name) {
        return resume(what, name, CurrentOperator.UNKNOWN);
    }

    OperationResult resume(String what, String name, Operator operator) {
        return isKind(what) ? operations.resumeKind(name, operator) : operations.resumeJanitor(name, operator);
    }

    private static boolean isKind(String what) {
        return switch (what) {
            case KIND -> true;
            case JANITOR -> false;
            default ->
                throw BadRequest.because(
                        "'%s' cannot be paused here. Write kind or janitor. Queues and schedules have endpoints of their own."
                                .formatted(what));
        };
    }
}
