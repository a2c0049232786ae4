/**
 * Idempotency keys: work that a client asks for twice is done once, and the second request is given the first one's reply.
 * A key is claimed before the work begins, kept alive while it runs, and completed with the reply or deleted.
 *
 * <p>Of its public types, {@code IdempotentFaultsException}, {@code KeyExpression}, {@code KeySettings} and
 * {@code KeyStore} are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.idempotency;

import org.jspecify.annotations.NullMarked;
