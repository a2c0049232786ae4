/**
 * Idempotency keys of web requests, for servlet applications only. The request and the response of an {@link
 * io.sagaspring.idempotency.Idempotent} handler are held in memory. The reply is stored before the client gets any of
 * it, and a repeated request gets the same bytes. Start reading at {@link
 * io.sagaspring.idempotency.http.IdempotentHandlerAdapter}.
 *
 * <p>Apart from {@code RequestTooLargeException}, the package's public types are for the library's other packages only,
 * and may change at any time.
 */
@NullMarked
package io.sagaspring.idempotency.http;

import org.jspecify.annotations.NullMarked;
