/**
 * Accounts: a client can safely repeat every request. Each request may carry an {@code Idempotency-Key}, and requests
 * with the same key are executed once. Start reading at {@link io.sagaspring.sample.accounts.AccountController}.
 */
@NullMarked
package io.sagaspring.sample.accounts;

import org.jspecify.annotations.NullMarked;
