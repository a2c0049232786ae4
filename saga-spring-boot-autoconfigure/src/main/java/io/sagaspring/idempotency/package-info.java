/**
 * Idempotency keys. Requests with the same key are executed once, and a repeated request gets the stored reply. A key
 * is claimed before the work begins, and then completed with the reply or deleted. While the work runs, the claim is
 * renewed, unless claim, work and reply are committed together.
 *
 * <p>Of the package's public types, {@code IdempotentFaultsException}, {@code KeyExpression}, {@code KeySettings} and
 * {@code KeyStore} are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.idempotency;

import org.jspecify.annotations.NullMarked;
