package io.sagaspring.actuate;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.convert.DurationStyle;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Shows runs, retries and cancels them, says what became of a step in doubt, and gives up what nothing else ends. Only reading is
 * on unless {@code management.endpoint.sagaruns.access} is {@code unrestricted}. What runs are given and return is not shown.
 */
@Endpoint(id = "sagaruns", defaultAccess = Access.READ_ONLY)
final class RunsEndpoint {

    private static final int LIMIT = 100;
    private static final int MOST = 1_000;
    private static final String AN_ID = "Write the id as sagaruns shows it.";

    private final Runs runs;
    private final Supplier<@Nullable Sagas> sagas;

    /**
     * An endpoint over these runs.
     *
     * @param runs knows them
     * @param sagas knows those of them that are executions of sagas, or returns null if there are no sagas
     */
    public RunsEndpoint(Runs runs, Supplier<@Nullable Sagas> sagas) {
        this.runs = runs;
        this.sagas = sagas;
    }

    /**
     * Some runs.
     *
     * @param runs latest first
     */
    public record Listed(List<RunView> runs) {}

    /**
     * Runs, latest first, without their steps.
     *
     * @param run the name of their code, all when not given
     * @param state where they stand, all when not given
     * @param key the key it was started with, only together with the name of its code
     * @param olderThan only runs that have been in their state for longer than this, such as PT10M
     * @param before only older ones than this
     * @param limit how many at most, 100 when not given, and no more than 1,000
     * @return the runs
     */
    @ReadOperation
    public Listed list(
            @Nullable String run,
            @Nullable String state,
            @Nullable String key,
            @Nullable String olderThan,
            @Nullable String before,
            @Nullable Integer limit) {
        if (hasNul(run) || hasNul(key)) {
            throw BadRequest.because(
                    "The name or the key of a run has the character NUL, which none can have. Leave it out.");
        }
        Set<RunState> states =
                state == null ? Set.of() : Set.of(BadRequest.read(state, RunState::of, "Write one of these."));
        Duration age = olderThan == null ? null : BadRequest.read(olderThan, RunsEndpoint::age, "Write PT10M or 10m.");
        RunId than = before == null ? null : BadRequest.read(before, RunId::of, AN_ID);
        if (key != null && run == null) {
            throw BadRequest.because(
                    "The key '%s' was given without the name of a run. Keys are unique for each name. Give both."
                            .formatted(key));
        }
        int most = limit == null ? LIMIT : Math.min(MOST, Math.max(1, limit));
        return new Listed(runs.list(new RunQuery(run, key, states, age, than, most)));
    }

    private static Duration age(String text) {
        Duration age = DurationStyle.detectAndParse(text);
        if (age.isNegative()) {
            throw new IllegalArgumentException("An age is not negative");
        }
        return age;
    }

    /**
     * One run with its steps, and with the first cause of its failure.
     *
     * @param id which
     * @return null if there is none
     */
    @ReadOperation
    public @Nullable RunDetails find(@Selector String id) {
        RunId run = runId(id);
        Sagas known = sagas.get();
        return runs.find(run)
                .map(found -> RunDetails.of(found, known == null ? Optional.empty() : known.find(run)))
                .orElse(null);
    }

    /**
     * What became of it.
     *
     * @param result what, in one word
     * @param message what, in a sentence
     */
    public record Told(Result result, String message) {

        /** What became of it. */
        public enum Result {
            /** The run was told. */
            ACCEPTED,
            /** It is not in a state where that means anything. */
            REFUSED,
            /** There is no such run, or no longer. */
            UNKNOWN
        }
    }

    /**
     * Has a run go on from the step that failed.
     *
     * @param id which
     * @return what became of it
     */
    @WriteOperation
    public Told retry(@Selector String id) {
        return retry(id, Operator.UNKNOWN);
    }

    Told retry(String id, String by) {
        RunId run = runId(id);
        boolean isBlocked =
                runs.find(run).filter(each -> each.state() == RunState.BLOCKED).isPresent();
        return told(
                run,
                isBlocked
                        ? "is tried again. It was blocked, and is blocked again if the reason in its error still holds"
                        : "is tried again",
                "Only a run that failed, is parked or blocked, or could not be compensated is retried. One that was compensated is not: start another one.",
                () -> runs.retry(run, by));
    }

    /**
     * Decides what only a person can decide: {@code done} and {@code not-done} say what became of a step in doubt, and {@code
     * give-up} ends the run without its code.
     *
     * @param id the run's id
     * @param decision {@code done}, {@code not-done} or {@code give-up}
     * @param step the step in doubt, with its key; not for {@code give-up}
     * @param result what the step returned, as JSON; only for {@code done}
     * @return what became of it
     */
    @WriteOperation
    public Told decide(@Selector String id, @Selector String decision, @Nullable String step, @Nullable String result) {
        return decide(id, decision, step, result, Operator.UNKNOWN);
    }

    Told decide(String id, String decision, @Nullable String step, @Nullable String result, String by) {
        RunId run = runId(id);
        return switch (decision) {
            case "done" -> resolve(run, required(step), by, json(result));
            case "not-done" -> {
                if (result != null) {
                    throw BadRequest.because(
                            "The result '%s' was given for a step that was not done. Leave the result out, or resolve the step as done."
                                    .formatted(result));
                }
                yield resolve(run, required(step), by, null);
            }
            case "give-up" -> {
                if (step != null || result != null) {
                    throw BadRequest.because(
                            "A step or a result was given, but the whole run is given up. Leave both out, or resolve the step as done or not-done.");
                }
                yield told(
                        run,
                        "is given up. Nothing was compensated",
                        "Only a run that is blocked, in doubt, parked or could not be compensated is given up, or one whose code this node does not have and that no node executes. Cancel another one.",
                        () -> runs.giveUp(run, by));
            }
            default ->
                throw BadRequest.because(
                        "There is no decision '%s' about a run. Write done, not-done or give-up.".formatted(decision));
        };
    }

    private Told resolve(RunId run, String step, String by, @Nullable JsonNode result) {
        String otherwise =
                "Only a run that is in doubt about step '%s', or is blocked after it, is resolved. The latest entry of its journal names the step."
                        .formatted(step);
        return result == null
                ? told(
                        run,
                        "begins step '%s' again".formatted(step),
                        otherwise,
                        () -> runs.resolveAsNotDone(run, step, by))
                : told(
                        run,
                        "goes on behind step '%s'".formatted(step),
                        otherwise,
                        () -> resolvedAsDone(run, step, by, result));
    }

    private boolean resolvedAsDone(RunId run, String step, String by, JsonNode result) {
        try {
            return runs.resolveAsDone(run, step, result.isNull() ? null : result, by);
        } catch (PayloadException unstorable) {
            throw BadRequest.because("The result cannot be stored: %s".formatted(unstorable.getMessage()));
        }
    }

    private static String required(@Nullable String step) {
        if (step == null || step.isBlank() || hasNul(step)) {
            throw BadRequest.because(
                    "The step '%s' is none. Give the step in doubt, with its key, as the latest entry of the run's journal has it."
                            .formatted(step));
        }
        return step;
    }

    private static JsonNode json(@Nullable String result) {
        String remedy =
                "Give the result of the step as JSON in a text, such as \"42\" or \"\\\"a receipt\\\"\", and \"null\" if the step returns nothing.";
        if (result == null || result.isBlank()) {
            throw BadRequest.because("The result is missing. %s".formatted(remedy));
        }
        try {
            return JsonMapper.shared().readTree(result);
        } catch (JacksonException noJson) {
            throw BadRequest.because(
                    "The result '%s' is not JSON: %s. %s".formatted(result, noJson.getOriginalMessage(), remedy));
        }
    }

    /**
     * Asks a run to stop.
     *
     * @param id which
     * @return what became of it
     */
    @DeleteOperation
    public Told cancel(@Selector String id) {
        return cancel(id, Operator.UNKNOWN);
    }

    Told cancel(String id, String by) {
        RunId run = runId(id);
        return told(run, "is asked to stop", "It is over.", () -> runs.cancel(run, "cancelled by %s".formatted(by)));
    }

    private Told told(RunId id, String done, String otherwise, BooleanSupplier telling) {
        try {
            if (telling.getAsBoolean()) {
                return new Told(Told.Result.ACCEPTED, "Run %s %s.".formatted(id, done));
            }
            return runs.find(id)
                    .map(run -> new Told(
                            Told.Result.REFUSED,
                            "Run %s is %s. %s".formatted(id, run.state().text(), otherwise)))
                    .orElseGet(() -> unknown(id));
        } catch (NoSuchRunException none) {
            return unknown(id);
        }
    }

    private static Told unknown(RunId id) {
        return new Told(Told.Result.UNKNOWN, "There is no run %s, or no longer.".formatted(id));
    }

    private static boolean hasNul(@Nullable String text) {
        return text != null && text.indexOf('\0') >= 0;
    }

    private static RunId runId(String text) {
        return BadRequest.read(text, RunId::of, AN_ID);
    }
}
