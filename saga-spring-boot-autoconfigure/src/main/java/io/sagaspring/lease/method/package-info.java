/**
 * {@code @Leased} on the methods of beans: what it says is read and checked once, when the bean is made.
 *
 * <p>Its public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.lease.method;

import org.jspecify.annotations.NullMarked;
