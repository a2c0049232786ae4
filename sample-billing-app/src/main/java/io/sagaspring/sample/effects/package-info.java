/**
 * Fakes of external systems, whose effects no transaction can roll back. The fakes record each call through their own
 * data source. The record therefore stays, even if the transaction that caused the call rolls back. Start reading at
 * {@link io.sagaspring.sample.effects.EffectsLedger}.
 */
@NullMarked
package io.sagaspring.sample.effects;

import org.jspecify.annotations.NullMarked;
