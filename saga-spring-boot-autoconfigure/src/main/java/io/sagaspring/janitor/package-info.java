/**
 * Frees entities that a crash has left in a claim state. Every module that declares claim states has a janitor of its
 * own, and the application fails at start-up if one is missing. A sweep reverts a claim only if its owner has sent no
 * heartbeat for {@code saga.janitor.stuck-after}, by the database clock. A sweep never reverts a claim that the keeper
 * renews. Start reading at {@link io.sagaspring.janitor.ScheduledClaimJanitor}.
 *
 * <p>Of the package's public types, {@code JanitorRegistry}, {@code JanitorSchedule} and {@code Sweep} are for the
 * library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.janitor;

import org.jspecify.annotations.NullMarked;
