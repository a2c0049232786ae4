/**
 * Keeps the console of a green build quiet. What a test class prints goes to a file and reaches the console when a test
 * fails; an error that is logged and that no test expects fails the class. Start reading at
 * {@link io.sagaspring.quiet.ExpectsErrors}.
 */
@NullMarked
package io.sagaspring.quiet;

import org.jspecify.annotations.NullMarked;
