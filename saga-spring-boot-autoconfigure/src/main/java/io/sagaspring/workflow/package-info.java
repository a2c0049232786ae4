/**
 * Runs the steps of configured workflows: claim, validate, act, flip and after-effect. If a step has a claim state, its
 * action runs only for the caller that has won the claim. The action's writes are committed if and only if the flip is.
 * Start reading at {@link io.sagaspring.workflow.Workflows}.
 *
 * <p>Of its public types, {@code EffectKeyPurges}, {@code EffectKeys} and {@code WorkflowEngine} are for the library's other packages only, and
 * may change at any time.
 */
@NullMarked
package io.sagaspring.workflow;

import org.jspecify.annotations.NullMarked;
