package io.sagaspring.actuate;

import io.sagaspring.due.Backlog;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.RunState;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The state of runs at the time of a query.
 *
 * @param troubled the number of runs that wait for a person, by state
 * @param backlog the runs that are due and that no node has picked up, by the name of their code
 * @param queues the queues; empty if this application declares none
 * @param paused the names of the kinds that are paused, whose runs may wait
 */
record RunFacts(Map<RunState, Long> troubled, List<Backlog> backlog, List<QueueDepth> queues, Set<String> paused) {}
