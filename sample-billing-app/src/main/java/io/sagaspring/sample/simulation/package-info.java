/**
 * Simulated trouble, which makes races, refusals and crashes visible: the header {@code X-Simulate} of a request lets
 * the step's action or the service's transaction take longer or fail. No action or service contains code for this
 * simulation. Only the steps of checkouts and payouts call {@link io.sagaspring.sample.simulation.StepTrouble}. Start
 * reading at {@link io.sagaspring.sample.simulation.SimulationConfiguration}.
 */
@NullMarked
package io.sagaspring.sample.simulation;

import org.jspecify.annotations.NullMarked;
