/**
 * Support for annotations on the methods of beans. The annotations are found on classes, superclasses and interfaces,
 * are checked when the bean is created, and take effect through a proxy. At start-up, all faults of all beans are
 * reported together. The packages that use this package define what each annotation means.
 *
 * <p>The public types of this package are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.method;

import org.jspecify.annotations.NullMarked;
