/**
 * Keeps the console of a green build quiet. The output of a test class goes to a file, and to the console when a test
 * fails. A logged error that no test expects fails the class. Start reading at {@link
 * io.sagaspring.quiet.ExpectsErrors}.
 */
@NullMarked
package io.sagaspring.quiet;

import org.jspecify.annotations.NullMarked;
