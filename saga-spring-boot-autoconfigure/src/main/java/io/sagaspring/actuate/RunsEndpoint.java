package io.sagaspring.actuate;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows runs, has one retried that failed, is parked or blocked, and cancels one. Both are off unless {@code
 * management.endpoint.sagaruns.access} is {@code unrestricted}. What runs are given and return is not shown.
 */
@Endpoint(id = "sagaruns", defaultAccess = Access.READ_ONLY)
public final class RunsEndpoint {

    private static final int LIMIT = 100;

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
     * @param before only older ones than this
     * @param limit how many at most, 100 when not given
     * @return the runs
     */
    @ReadOperation
    public Listed list(@Nullable String run, @Nullable String state, @Nullable String before, @Nullable Integer limit) {
        return new Listed(runs.list(new RunStore.Query(
                run,
                state == null ? Set.of() : Set.of(RunState.of(state)),
                before == null ? null : RunId.of(before),
                limit == null ? LIMIT : Math.max(1, limit))));
    }

    /**
     * One run with its steps.
     *
     * @param id which
     * @return null if there is none
     */
    @ReadOperation
    public @Nullable RunView find(@Selector String id) {
        return runs.find(RunId.of(id)).orElse(null);
    }

    /**
     * What became of it. A bare boolean could not be told over JMX.
     *
     * @param done whether there was something to do
     */
    public record Done(boolean done) {}

    /**
     * Has a run go on from the step that failed.
     *
     * @param id which
     * @return what became of it
     */
    @WriteOperation
    public Done retry(@Selector String id) {
        return new Done(runs.retry(RunId.of(id)));
    }

    /**
     * Asks a run to stop.
     *
     * @param id which
     * @return what became of it
     */
    @DeleteOperation
    public Done cancel(@Selector String id) {
        return new Done(runs.cancel(RunId.of(id), "cancelled by an operator"));
    }
}
