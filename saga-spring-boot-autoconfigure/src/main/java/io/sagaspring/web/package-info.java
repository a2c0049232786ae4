/**
 * HTTP responses for exceptions and outcomes. They have the right status and a problem detail. They cover steps that
 * did not succeed, refused idempotency keys, unknown runs, and values that runs refuse. A controller may throw the
 * exception, or return the outcome of a step. Start reading at {@link io.sagaspring.web.Problems}.
 *
 * <p>Its public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.web;

import org.jspecify.annotations.NullMarked;
