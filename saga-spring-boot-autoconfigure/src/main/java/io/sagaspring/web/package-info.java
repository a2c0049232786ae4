/**
 * HTTP responses for exceptions and outcomes. A step that did not succeed, a refused idempotency key, an unknown run and a
 * value that runs refuse get the right status and a problem detail. A controller may throw the exception or return the
 * outcome. Start reading at {@link io.sagaspring.web.Problems}.
 *
 * <p>Its public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.web;

import org.jspecify.annotations.NullMarked;
