/**
 * Trouble on demand, so that races, refusals and crashes can be seen from outside: {@code X-Simulate} on a request makes
 * the step's action, or the service's transaction, slow or fail. No action and no service knows of it. Start reading at
 * {@link io.sagaspring.sample.simulation.SimulationConfiguration}.
 */
@NullMarked
package io.sagaspring.sample.simulation;

import org.jspecify.annotations.NullMarked;
