/** A billing service that uses the starter as your application would. */
@NullMarked
package io.sagaspring.sample;

import org.jspecify.annotations.NullMarked;
