/**
 * Runs the steps of configured workflows: claim, validate, act, flip, and what follows. Where a step claims, its body
 * runs only for who has won the claim; its writes are committed if and only if the flip is. Start reading at {@link
 * io.sagaspring.workflow.Workflows}.
 *
 * <p>Of its public types, {@code EffectKeys} and {@code WorkflowEngine} are for the library's other packages only, and
 * may change at any time.
 */
@NullMarked
package io.sagaspring.workflow;

import org.jspecify.annotations.NullMarked;
