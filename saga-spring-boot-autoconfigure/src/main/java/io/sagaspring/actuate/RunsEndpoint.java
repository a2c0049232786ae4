package io.sagaspring.actuate;

import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.convert.DurationStyle;

/**
 * Shows runs, has one retried that failed, is parked or blocked, and cancels one. Both are off unless {@code
 * management.endpoint.sagaruns.access} is {@code unrestricted}. What runs are given and return is not shown.
 */
@Endpoint(id = "sagaruns", defaultAccess = Access.READ_ONLY)
public final class RunsEndpoint {

    private static final int LIMIT = 100;
    private static final int MOST = 1_000;

    private final Runs runs;

    /**
     * An endpoint over these runs.
     *
     * @param runs knows them
     */
    public RunsEndpoint(Runs runs) {
        this.runs = runs;
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
            String message = "The name or the key of a run has the character NUL, which none can have. Leave it out.";
            throw new InvalidEndpointRequestException(message, message);
        }
        Set<RunState> states = state == null ? Set.of() : Set.of(read(state, RunState::of));
        Duration age = olderThan == null ? null : read(olderThan, DurationStyle::detectAndParse);
        RunId than = before == null ? null : read(before, RunId::of);
        int most = limit == null ? LIMIT : Math.min(MOST, Math.max(1, limit));
        return new Listed(runs.list(read("", any -> new RunStore.Query(run, key, states, age, than, most))));
    }

    /**
     * One run with its steps.
     *
     * @param id which
     * @return null if there is none
     */
    @ReadOperation
    public @Nullable RunView find(@Selector String id) {
        return runs.find(read(id, RunId::of)).orElse(null);
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
        RunId run = read(id, RunId::of);
        boolean isBlocked =
                runs.find(run).filter(each -> each.state() == RunState.BLOCKED).isPresent();
        return told(
                run,
                isBlocked
                        ? "is tried again. It was blocked, and is blocked again if the reason in its error still holds"
                        : "is tried again",
                "Only a run that failed, is parked or blocked, or could not be compensated is retried. One that was compensated is not: start another one.",
                () -> runs.retry(run));
    }

    /**
     * Asks a run to stop.
     *
     * @param id which
     * @return what became of it
     */
    @DeleteOperation
    public Told cancel(@Selector String id) {
        return cancel(id, "cancelled by an operator");
    }

    Told cancel(String id, String reason) {
        RunId run = read(id, RunId::of);
        return told(run, "is asked to stop", "It is over.", () -> runs.cancel(run, reason));
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

    private static <T> T read(String text, Function<String, T> reading) {
        try {
            return reading.apply(text);
        } catch (IllegalArgumentException unreadable) {
            throw new InvalidEndpointRequestException(
                    String.valueOf(unreadable.getMessage()), String.valueOf(unreadable.getMessage()), unreadable);
        }
    }
}
