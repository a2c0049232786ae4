/**
 * Reads what the configuration says about workflows, in properties and in files, into one tree of settings. Every setting
 * keeps its place, and whatever cannot be read becomes a fault: nothing that was written is dropped in silence. What the
 * settings mean is not known here. Start reading at {@link io.sagaspring.autoconfigure.source.WorkflowSources}.
 *
 * <p>Its public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.autoconfigure.source;

import org.jspecify.annotations.NullMarked;
