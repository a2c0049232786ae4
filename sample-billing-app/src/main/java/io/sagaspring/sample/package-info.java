/** A billing service as a team would write it around the starter. */
@NullMarked
package io.sagaspring.sample;

import org.jspecify.annotations.NullMarked;
