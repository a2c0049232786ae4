package io.sagaspring.dashboard;

import io.sagaspring.operations.BulkAction;
import io.sagaspring.operations.CallbackOperations;
import io.sagaspring.operations.ClaimOperations;
import io.sagaspring.operations.ClaimRelease;
import io.sagaspring.operations.DeliveryOperations;
import io.sagaspring.operations.InvalidOperationException;
import io.sagaspring.operations.KeyOperations;
import io.sagaspring.operations.LeaseOperations;
import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import io.sagaspring.operations.PauseOperations;
import io.sagaspring.operations.QueueOperations;
import io.sagaspring.operations.RunOperations;
import io.sagaspring.operations.ScheduleOperations;
import io.sagaspring.operations.WorkOperations;
import io.sagaspring.run.RunId;
import io.sagaspring.schedule.Overlap;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;

/** Performs the operations that the page requests. Each of them is audited. */
final class Operating {

    private final DashboardSources sources;
    private final Bulk bulk;
    private final Map<String, BiFunction<OperationRequest, Operator, OperationResult>> operations = new TreeMap<>();

    Operating(DashboardSources sources) {
        this.sources = sources;
        this.bulk = new Bulk(sources);
        addRuns();
        addWork();
        addQueues();
        addSchedules();
        operations.put("claim.release", this::release);
        operations.put("lease.free", this::freeLease);
        operations.put("key.free", this::freeKey);
        addMessages();
        addPauses();
    }

    private void addPauses() {
        operations.put(
                "kind.pause", (request, by) -> pauses().pauseKind(request.text("name"), request.text("reason"), by));
        operations.put("kind.resume", (request, by) -> pauses().resumeKind(request.text("name"), by));
        operations.put(
                "janitor.pause",
                (request, by) -> pauses().pauseJanitor(request.text("name"), request.text("reason"), by));
        operations.put("janitor.resume", (request, by) -> pauses().resumeJanitor(request.text("name"), by));
    }

    private void addMessages() {
        operations.put(
                "run.signal",
                (request, by) -> runs().signal(
                                run(request),
                                request.text("signal"),
                                request.textOrNull("key"),
                                request.text("payload"),
                                by));
        operations.put(
                "callback.complete",
                (request, by) -> callbacks().complete(run(request), request.text("step"), request.text("result"), by));
        operations.put(
                "callback.fail",
                (request, by) -> callbacks().fail(run(request), request.text("step"), request.text("reason"), by));
    }

    private void addRuns() {
        operations.put("run.retry", (request, by) -> runs().retry(run(request), by));
        operations.put("run.cancel", (request, by) -> runs().cancel(run(request), request.textOrNull("reason"), by));
        operations.put("run.give-up", (request, by) -> runs().giveUp(run(request), by));
        operations.put(
                "run.done",
                (request, by) -> runs().resolveAsDone(run(request), request.text("step"), request.text("result"), by));
        operations.put(
                "run.not-done", (request, by) -> runs().resolveAsNotDone(run(request), request.text("step"), by));
    }

    private void addWork() {
        operations.put(
                "work.retry", (request, by) -> work().retry(request.number("id"), request.textOrNull("tenant"), by));
        operations.put(
                "work.give-up", (request, by) -> work().giveUp(request.number("id"), request.textOrNull("tenant"), by));
        operations.put("delivery.retry", (request, by) -> deliveries().retry(request.number("id"), by));
        operations.put(
                "delivery.give-up",
                (request, by) -> deliveries().giveUp(request.number("id"), request.textOrNull("reason"), by));
    }

    private void addQueues() {
        operations.put(
                "queue.pause", (request, by) -> queues().pause(request.text("name"), request.text("reason"), by));
        operations.put("queue.resume", (request, by) -> queues().resume(request.text("name"), by));
        operations.put(
                "queue.limits",
                (request, by) -> queues().limits(
                                request.text("name"),
                                request.integer("limit"),
                                request.integerOrNull("perKey"),
                                request.text("reason"),
                                by));
    }

    private void addSchedules() {
        operations.put(
                "schedule.pause", (request, by) -> schedules().pause(request.text("name"), request.text("reason"), by));
        operations.put("schedule.resume", (request, by) -> schedules().resume(request.text("name"), by));
        operations.put("schedule.trigger", (request, by) -> schedules().trigger(request.text("name"), by));
        operations.put("schedule.remove", (request, by) -> schedules().remove(request.text("name"), by));
        operations.put(
                "schedule.backfill",
                (request, by) -> schedules()
                        .backfill(
                                request.text("name"),
                                request.read("from", Instant::parse),
                                request.read("to", Instant::parse),
                                request.read("overlap", text -> Overlap.valueOf(text.toUpperCase(Locale.ROOT))),
                                by));
    }

    /** Returns the names of all operations. */
    Set<String> names() {
        Set<String> names = new TreeSet<>(operations.keySet());
        for (BulkAction each : BulkAction.values()) {
            names.add(each.text());
        }
        return names;
    }

    /** What an operation has done, and the body of the answer. */
    record Performed(OperationResult.Result result, Object body) {

        static Performed of(OperationResult result) {
            return new Performed(result.result(), result);
        }
    }

    Performed perform(OperationRequest request, Operator operator) {
        String name = request.text("operation");
        BulkAction action = BulkAction.find(name).orElse(null);
        try {
            if (action == null) {
                return Performed.of(performOne(name, request, operator));
            }
            Bulk.Answer answer = bulk.perform(action, request, operator);
            return new Performed(answer.result(), answer);
        } catch (InvalidOperationException invalid) {
            throw ProblemException.badRequest(String.valueOf(invalid.getMessage()));
        }
    }

    private OperationResult performOne(String name, OperationRequest request, Operator operator) {
        BiFunction<OperationRequest, Operator, OperationResult> operation = operations.get(name);
        if (operation == null) {
            throw ProblemException.badRequest(
                    "The operation '%s' is unknown. Use one of these: %s.".formatted(name, String.join(", ", names())));
        }
        return operation.apply(request, operator);
    }

    private OperationResult release(OperationRequest request, Operator operator) {
        ClaimRelease release = sources.operations(ClaimOperations.class)
                .release(
                        request.text("entity"),
                        request.text("id"),
                        request.number("token"),
                        request.textOrNull("tenant"),
                        operator);
        return release.asOperation();
    }

    private OperationResult freeLease(OperationRequest request, Operator operator) {
        return sources.operations(LeaseOperations.class)
                .free(
                        request.text("name"),
                        request.textOrNull("tenant"),
                        request.number("token"),
                        request.textOrNull("reason"),
                        operator);
    }

    private OperationResult freeKey(OperationRequest request, Operator operator) {
        return sources.operations(KeyOperations.class)
                .free(request.text("id"), request.number("token"), request.textOrNull("reason"), operator);
    }

    private static RunId run(OperationRequest request) {
        return request.read("id", RunId::of);
    }

    private RunOperations runs() {
        return sources.operations(RunOperations.class);
    }

    private CallbackOperations callbacks() {
        return sources.operations(CallbackOperations.class);
    }

    private PauseOperations pauses() {
        return sources.operations(PauseOperations.class);
    }

    private WorkOperations work() {
        return sources.operations(WorkOperations.class);
    }

    private DeliveryOperations deliveries() {
        return sources.operations(DeliveryOperations.class);
    }

    private QueueOperations queues() {
        return sources.operations(QueueOperations.class);
    }

    private ScheduleOperations schedules() {
        return sources.operations(ScheduleOperations.class);
    }
}
