/**
 * The applications that {@link io.sagaspring.benchmarks.StartupBenchmark} starts. They have their own package, so that
 * their scan for entities finds only {@code Parcel}.
 */
@NullMarked
package io.sagaspring.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
