/**
 * Idempotency keys of web requests. Around a handler that is {@link io.sagaspring.idempotency.Idempotent}, the request is
 * read and the response is kept in memory: its reply is stored before the client sees any of it, and a repetition is given
 * the same bytes. Servlet applications only. Start reading at
 * {@link io.sagaspring.idempotency.http.IdempotentHandlerAdapter}.
 *
 * <p>Apart from {@code RequestTooLargeException}, its public types are for the library's other packages only, and may
 * change at any time.
 */
@NullMarked
package io.sagaspring.idempotency.http;

import org.jspecify.annotations.NullMarked;
