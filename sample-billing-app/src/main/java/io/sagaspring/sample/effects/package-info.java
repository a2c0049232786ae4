/**
 * The outside world: what cannot be rolled back. Its parts are fakes that write down what they were asked to do, over a
 * data source of their own, so that an effect stays whatever becomes of the transaction that caused it. Start reading at
 * {@link io.sagaspring.sample.effects.EffectsLedger}.
 */
@NullMarked
package io.sagaspring.sample.effects;

import org.jspecify.annotations.NullMarked;
