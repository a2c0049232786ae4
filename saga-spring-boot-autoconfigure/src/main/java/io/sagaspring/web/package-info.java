/**
 * HTTP responses for exceptions, and for the outcomes of steps. Each response to an exception or an unsuccessful
 * outcome has a suitable status and a problem detail. The package covers steps that did not succeed, requests with an
 * unknown outcome, refused idempotency keys, unknown runs, and values that runs cannot store. A controller may throw
 * the exception, or return the outcome of a step. Start reading at {@link io.sagaspring.web.Problems}.
 *
 * <p>The public type of this package is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.web;

import org.jspecify.annotations.NullMarked;
