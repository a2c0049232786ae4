package io.sagaspring.actuate;

import io.sagaspring.due.Backlog;
import io.sagaspring.run.RunState;
import java.util.List;
import java.util.Map;

/**
 * How runs stood when the database was asked.
 *
 * @param troubled how many wait for a person, by state
 * @param backlog what is due and not picked up, by the name of the run
 */
record RunFacts(Map<RunState, Long> troubled, List<Backlog> backlog) {}
