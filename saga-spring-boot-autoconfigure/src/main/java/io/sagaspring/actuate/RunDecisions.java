package io.sagaspring.actuate;

import io.sagaspring.operations.CallbackOperations;
import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import io.sagaspring.operations.RunOperations;
import io.sagaspring.run.RunId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Performs a person's decision about one run. Each decision has its own fields, and refuses those of the others. */
final class RunDecisions {

    private static final String JSON =
            "Give it as a string of JSON, such as \"42\" or \"\\\"a receipt\\\"\", or \"null\" if there is none.";

    private static final Map<String, String> REMEDIES = Map.of(
            "step",
            "Copy the name of the step from the run as sagaruns shows it.",
            "result",
            JSON,
            "signal",
            "Give the name of the signal that the run waits for.",
            "payload",
            JSON,
            "reason",
            Given.A_REASON);

    private final RunOperations runs;
    private final Supplier<@Nullable CallbackOperations> callbacks;

    RunDecisions(RunOperations runs, Supplier<@Nullable CallbackOperations> callbacks) {
        this.runs = runs;
        this.callbacks = callbacks;
    }

    /** The fields of a request. A field that is missing is null. */
    record Fields(
            @Nullable String step,
            @Nullable String result,
            @Nullable String signal,
            @Nullable String key,
            @Nullable String payload,
            @Nullable String reason) {

        /** Returns the fields that the request has. */
        private Map<String, String> given() {
            Map<String, String> given = new TreeMap<>();
            put(given, "step", step);
            put(given, "result", result);
            put(given, "signal", signal);
            put(given, "key", key);
            put(given, "payload", payload);
            put(given, "reason", reason);
            return given;
        }

        private static void put(Map<String, String> given, String name, @Nullable String value) {
            if (value != null) {
                given.put(name, value);
            }
        }
    }

    OperationResult perform(RunId run, String decision, Fields fields, Operator operator) {
        Request request = new Request(decision, fields.given());
        return BadRequest.unless(() -> switch (decision) {
            case "done" -> {
                request.requireOnly("step", "result");
                yield runs.resolveAsDone(run, request.text("step"), request.text("result"), operator);
            }
            case "not-done" -> {
                request.requireOnly("step");
                yield runs.resolveAsNotDone(run, request.text("step"), operator);
            }
            case "give-up" -> {
                request.requireOnly();
                yield runs.giveUp(run, operator);
            }
            case "signal" -> {
                request.requireOnly("signal", "key", "payload");
                yield runs.signal(
                        run, request.text("signal"), request.textOrNull("key"), request.text("payload"), operator);
            }
            case "complete-callback" -> {
                request.requireOnly("step", "result");
                yield callbacks().complete(run, request.text("step"), request.text("result"), operator);
            }
            case "fail-callback" -> {
                request.requireOnly("step", "reason");
                yield callbacks().fail(run, request.text("step"), request.text("reason"), operator);
            }
            default ->
                throw BadRequest.because(
                        "'%s' is not a decision about a run. Write done, not-done, give-up, signal, complete-callback or fail-callback."
                                .formatted(decision));
        });
    }

    private CallbackOperations callbacks() {
        CallbackOperations found = callbacks.get();
        if (found == null) {
            throw BadRequest.because(
                    "Sagas are disabled in this application, so no step waits for a callback. Send the request to an application that has enabled them.");
        }
        return found;
    }

    /** A request for a decision, with the fields that it has. */
    private record Request(String decision, Map<String, String> given) {

        /** Refuses a field of another decision, because the person may have meant that decision. */
        void requireOnly(String... allowed) {
            for (String field : given.keySet()) {
                if (!List.of(allowed).contains(field)) {
                    throw BadRequest.because(
                            "The decision '%s' has no field '%s'. Leave the field out.".formatted(decision, field));
                }
            }
        }

        String text(String field) {
            return Given.required(field, given.get(field), REMEDIES.getOrDefault(field, ""));
        }

        @Nullable
        String textOrNull(String field) {
            return given.get(field);
        }
    }
}
