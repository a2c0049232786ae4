/**
 * Idempotency keys: work that a client asks for twice is done once, and the second request is given the first one's reply.
 * A key is claimed before the work begins, kept alive while it runs, and completed with the reply or deleted.
 */
@NullMarked
package io.sagaspring.idempotency;

import org.jspecify.annotations.NullMarked;
