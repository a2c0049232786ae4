package io.sagaspring.run;

import io.sagaspring.due.Backlog;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The part of a store that reads and counts runs. This part does not change anything.
 *
 * @since 0.1.0
 */
public interface RunQueries {

    /**
     * Reads a run without its journal and its labels.
     *
     * @param id the run's id
     * @return the run, or empty if it is unknown or was removed after its end
     */
    Optional<RunRow> findRow(RunId id);

    /**
     * Reads runs without their journals and their labels.
     *
     * @param ids the ids of the runs
     * @return the runs that exist, in any order
     */
    default List<RunRow> findRows(Collection<RunId> ids) {
        return ids.stream().flatMap(id -> findRow(id).stream()).toList();
    }

    /**
     * Reads a run with its journal and its labels.
     *
     * @param id the run's id
     * @return the run, or empty if it is unknown or was removed after its end
     */
    Optional<RunRow> find(RunId id);

    /**
     * Lists runs without their journals.
     *
     * @param query the query that selects the runs
     * @return the runs, ordered by id, latest first
     */
    List<RunRow> list(RunQuery query);

    /**
     * Counts runs.
     *
     * @param query the query that selects the runs; its limit is ignored
     * @param most the number at which the count stops
     * @return the number of runs, up to that number
     */
    RunCount count(RunQuery query, int most);

    /**
     * Counts the runs that wait for a person or a deployment.
     *
     * @return the number of runs in each of these states; a state without runs is missing
     */
    Map<RunState, Long> troubled();

    /**
     * Counts the due runs that have no owner, by the names of their code. Runs that must first join a queue do not
     * count.
     *
     * @param known the names of the code on this node
     * @return each name of code that has due runs, with the number of these runs, up to 1,000
     */
    List<Backlog> backlog(Set<String> known);
}
