/** Hierarchies in which the root and a subclass each have a workflow. */
@NullMarked
package io.sagaspring.entity.family;

import org.jspecify.annotations.NullMarked;
