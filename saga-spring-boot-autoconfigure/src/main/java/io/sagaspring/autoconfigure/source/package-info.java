/**
 * Reads the workflow configuration, from properties and files, into one tree of settings. Every setting records where
 * it was written: the file, the line and the column, if they are known. Everything that cannot be read becomes a fault,
 * so nothing is dropped silently. This package does not interpret the settings. Start reading at {@link
 * io.sagaspring.autoconfigure.source.WorkflowSources}.
 *
 * <p>The public type of this package is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.autoconfigure.source;

import org.jspecify.annotations.NullMarked;
