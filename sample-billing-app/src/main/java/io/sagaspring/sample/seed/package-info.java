/**
 * Data for the first trial, so that the pages have something to show. The property {@code sample.seed} turns it on.
 * Start reading at {@link io.sagaspring.sample.seed.Seed}.
 */
@NullMarked
package io.sagaspring.sample.seed;

import org.jspecify.annotations.NullMarked;
