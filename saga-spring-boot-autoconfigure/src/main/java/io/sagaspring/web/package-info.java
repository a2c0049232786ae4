/**
 * Tells web clients of a step that did not succeed, of an idempotency key that stands for no new work, and of a name or a value
 * that runs refuse: the right status and a problem detail, whether the controller lets the exception through or returns the
 * outcome. Start reading at {@link io.sagaspring.web.Problems}.
 *
 * <p>Its public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.web;

import org.jspecify.annotations.NullMarked;
