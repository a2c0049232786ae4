/**
 * The outside world, which no transaction can roll back. Fakes record each call through a data source of their own. The
 * record therefore stays, even if the transaction that caused the call rolls back. Start reading at {@link
 * io.sagaspring.sample.effects.EffectsLedger}.
 */
@NullMarked
package io.sagaspring.sample.effects;

import org.jspecify.annotations.NullMarked;
