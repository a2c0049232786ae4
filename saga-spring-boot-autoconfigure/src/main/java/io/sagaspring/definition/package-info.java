/**
 * What the configuration says: workflows, their steps, who may run them, and the transient states they claim. A {@link
 * io.sagaspring.definition.WorkflowDefinition} has passed every rule that can be judged from the text alone; what
 * fails one is named with its property, its rule and its place, all faults at once. Start reading at {@link
 * io.sagaspring.definition.DefinitionReader}.
 *
 * <p>Apart from {@code Requester}, {@code StepDefinition} and {@code WorkflowDefinition}, its public types are for the
 * library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.definition;

import org.jspecify.annotations.NullMarked;
