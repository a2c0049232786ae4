/**
 * The configured workflows: their steps, the requesters that may run them, and their claim states. A {@link
 * io.sagaspring.definition.WorkflowDefinition} has passed every rule that can be checked from the configuration alone.
 * All faults are reported at once, each with its property, its rule and its place. Start reading at {@link
 * io.sagaspring.definition.DefinitionReader}.
 *
 * <p>Apart from {@code Requester}, {@code StepDefinition} and {@code WorkflowDefinition}, the public types of this
 * package are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.definition;

import org.jspecify.annotations.NullMarked;
