/** {@code @Leased} on the methods of beans: what it says is read and checked once, when the bean is made. */
@NullMarked
package io.sagaspring.lease.method;

import org.jspecify.annotations.NullMarked;
