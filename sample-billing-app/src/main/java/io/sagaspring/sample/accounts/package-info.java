/**
 * Accounts, whose requests a client may send again without harm: each has an {@code Idempotency-Key}, and is carried out
 * once. Start reading at {@link io.sagaspring.sample.accounts.AccountController}.
 */
@NullMarked
package io.sagaspring.sample.accounts;

import org.jspecify.annotations.NullMarked;
