package io.sagaspring.actuate;

import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import io.sagaspring.operations.QueueOperations;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.queue.StartRate;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Lists, pauses and resumes queues, and changes their limits. Only reading is allowed unless {@code
 * management.endpoint.sagaqueues.access} is {@code unrestricted}. The keys of the runs are not shown.
 */
@Endpoint(id = "sagaqueues", defaultAccess = Access.READ_ONLY)
final class QueuesEndpoint {

    private final QueueOperations operations;
    private final Supplier<RunEngine> engine;

    /**
     * Creates the endpoint.
     *
     * @param operations the operations on queues
     * @param engine the supplier of the engine that describes the queues of the database
     */
    public QueuesEndpoint(QueueOperations operations, Supplier<RunEngine> engine) {
        this.operations = operations;
        this.engine = engine;
    }

    /**
     * A list of queues.
     *
     * @param queues the queues, ordered by name
     */
    public record Listed(List<Shown> queues) {}

    /**
     * A queue.
     *
     * @param name the name
     * @param known true if this application declares the queue
     * @param atOnce the largest number of runs that execute at once
     * @param atOnceForEach the largest number of runs of a key that execute at once, or null if there is no such limit
     * @param starts the largest number of runs that begin within a period, or null if there is no such limit
     * @param startsForEach the largest number of runs of a key that begin within a period, or null if there is no such
     *     limit
     * @param inUse the number of permits that runs hold
     * @param waiting the number of waiting runs, up to 10,000
     * @param oldestWait the time that the longest waiting run has been waiting
     * @param changed the latest change of the limits by a person, or null if there was none
     * @param paused the pause, or null if the queue is not paused
     */
    public record Shown(
            String name,
            boolean known,
            int atOnce,
            @Nullable Integer atOnceForEach,
            @Nullable String starts,
            @Nullable String startsForEach,
            int inUse,
            int waiting,
            String oldestWait,
            @Nullable Decision changed,
            @Nullable Decision paused) {

        static Shown of(QueueDepth depth, Set<String> known) {
            return new Shown(
                    depth.queue(),
                    known.contains(depth.queue()),
                    depth.limits().atOnce(),
                    depth.limits().atOnceForEach(),
                    text(depth.limits().starts()),
                    text(depth.limits().startsForEach()),
                    depth.inUse(),
                    depth.waiting(),
                    depth.oldest().toString(),
                    Decision.of(depth.change()),
                    Decision.of(depth.pause()));
        }

        private static @Nullable String text(@Nullable StartRate rate) {
            return rate == null ? null : rate.toString();
        }
    }

    /**
     * A person's decision about a queue.
     *
     * @param at the time of the decision
     * @param by the person
     * @param why the reason
     */
    public record Decision(Instant at, String by, String why) {

        static @Nullable Decision of(QueueDepth.@Nullable Decision decision) {
            return decision == null ? null : new Decision(decision.at(), decision.by(), decision.why());
        }
    }

    /**
     * Lists the queues of the database, with the numbers of their runs.
     *
     * @return the queues
     */
    @ReadOperation
    public Listed list() {
        return new Listed(shown());
    }

    /**
     * Returns one queue.
     *
     * @param name the name of the queue
     * @return the queue, or null if it is unknown
     */
    @ReadOperation
    public @Nullable Shown find(@Selector String name) {
        return shown().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private List<Shown> shown() {
        Set<String> known = engine.get().queueNames();
        return engine.get().queueDepths().stream()
                .map(depth -> Shown.of(depth, known))
                .toList();
    }

    /**
     * Pauses or resumes a queue, or changes its limits. The limits for the starts within a period do not change.
     *
     * @param name the name of the queue
     * @param operation {@code pause}, {@code resume} or {@code limits}
     * @param reason the reason
     * @param atOnce the largest number of runs that execute at once; required for {@code limits}, otherwise ignored
     * @param atOnceForEach the largest number of runs of a key that execute at once, or null to remove this limit; only
     *     for {@code limits}
     * @return the queue, or null if this application does not declare it
     */
    @WriteOperation
    public @Nullable Shown change(
            @Selector String name,
            String operation,
            @Nullable String reason,
            @Nullable Integer atOnce,
            @Nullable Integer atOnceForEach) {
        return change(name, new Request(operation, reason, atOnce, atOnceForEach), CurrentOperator.UNKNOWN);
    }

    /** A request to change a queue. */
    record Request(
            String operation,
            @Nullable String reason,
            @Nullable Integer atOnce,
            @Nullable Integer atOnceForEach) {}

    @Nullable
    Shown change(String name, Request request, Operator operator) {
        String why = request.reason() == null ? "" : request.reason();
        OperationResult result = BadRequest.unless(() -> switch (request.operation()) {
            case "pause" -> operations.pause(name, why, operator);
            case "resume" -> operations.resume(name, operator);
            case "limits" ->
                operations.limits(name, required(request.atOnce()), request.atOnceForEach(), why, operator);
            default ->
                throw BadRequest.because("'%s' is not an operation on a queue. Write pause, resume or limits."
                        .formatted(request.operation()));
        });
        return result.result() == OperationResult.Result.UNKNOWN ? null : find(name);
    }

    private static int required(@Nullable Integer atOnce) {
        if (atOnce == null) {
            throw BadRequest.because(
                    "The request for new limits has no atOnce. Add it, for example {\"operation\":\"limits\",\"atOnce\":10}.");
        }
        return atOnce;
    }
}
