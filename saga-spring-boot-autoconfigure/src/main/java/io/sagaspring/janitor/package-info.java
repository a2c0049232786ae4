/**
 * Frees what a crash has left in a claim state. Every module that declares claim states has a janitor of its own, and the
 * application does not start while one is missing. A sweep takes a claim only from an owner who has been silent for the
 * whole window by the database's clock, and never one that the keeper renews. Start reading at {@link
 * io.sagaspring.janitor.ScheduledClaimJanitor}.
 *
 * <p>Of its public types, {@code JanitorRegistry}, {@code JanitorSchedule} and {@code Sweep} are for the library's other
 * packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.janitor;

import org.jspecify.annotations.NullMarked;
