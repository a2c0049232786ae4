/** A billing service as a team would write it around the starter, and nothing else. */
@NullMarked
package io.sagaspring.sample;

import org.jspecify.annotations.NullMarked;
