package io.sagaspring.run;

import io.sagaspring.due.Backlog;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Shows and counts runs. Nothing changes by it.
 *
 * @since 0.1.0
 */
public interface RunQueries {

    /**
     * Reads a run without its journal.
     *
     * @param id the run's id
     * @return empty if there is none, or no longer
     */
    Optional<RunRow> look(RunId id);

    /**
     * Reads a run with its journal.
     *
     * @param id the run's id
     * @return empty if there is none, or no longer
     */
    Optional<RunRow> find(RunId id);

    /**
     * Lists runs without their journals.
     *
     * @param query selects the runs
     * @return latest first, by their ids
     */
    List<RunRow> list(RunQuery query);

    /**
     * Counts the runs that wait for a person.
     *
     * @return by state
     */
    Map<RunState, Long> troubled();

    /**
     * Counts the runs that are due and that no node has picked up, by the names of their code.
     *
     * @param known the names of the code that this node has
     * @return each name with due runs, counted to 1,000
     */
    List<Backlog> backlog(Set<String> known);
}
