/**
 * Tests of claims, keys, leases and runs with processes that race, halt, are killed or are frozen. A journal that
 * shares no code with the engine records what the actions did, and {@link io.sagaspring.chaos.Inspection} checks it.
 * For claims, start reading at {@link io.sagaspring.chaos.Depot}; for runs, at {@link io.sagaspring.chaos.Office}.
 *
 * <p>These tests have a small vocabulary. In tests of claims, a <em>depot</em> is a node, a <em>crate</em> is an
 * entity, and its steps {@code ship}, {@code haul} and {@code fetch} move it away and back. In tests of keys, a
 * <em>teller</em> executes the requests. In tests of runs, an <em>office</em> is a node, an <em>errand</em> is a run
 * with every kind of step, an <em>answer</em> is a run that signals an errand, and a <em>listener</em> is a run that
 * waits for signals, its <em>words</em>. A <em>victim</em> is a process that will be killed.
 */
@NullMarked
package io.sagaspring.chaos;

import org.jspecify.annotations.NullMarked;
