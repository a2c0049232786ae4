/**
 * Annotations on methods of beans: they are found wherever they stand, read and checked once, when the bean is made, and
 * carried out by a proxy. All faults of all beans are told together. What an annotation means is known above.
 *
 * <p>Its public types are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.method;

import org.jspecify.annotations.NullMarked;
