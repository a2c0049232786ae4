/**
 * Annotations on methods of beans: they are found wherever they stand, read and checked once, when the bean is made, and
 * carried out by a proxy. All faults of all beans are told together. What an annotation means is known above.
 */
@NullMarked
package io.sagaspring.method;

import org.jspecify.annotations.NullMarked;
