/**
 * Support for {@code @Leased} on the methods of beans. The annotation is read and checked once, when the bean is
 * created.
 *
 * <p>The package's public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.lease.method;

import org.jspecify.annotations.NullMarked;
