/**
 * What the configuration says: workflows, their steps, who may run them, and the transient states they claim. A {@link
 * io.sagaspring.definition.WorkflowDefinition} has passed every rule that can be judged from the text alone; what
 * fails one is named with its property, its rule and its place, all faults at once. Start reading at {@link
 * io.sagaspring.definition.DefinitionReader}.
 */
@NullMarked
package io.sagaspring.definition;

import org.jspecify.annotations.NullMarked;
