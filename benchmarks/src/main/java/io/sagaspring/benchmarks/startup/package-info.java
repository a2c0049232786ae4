/**
 * The applications that {@link io.sagaspring.benchmarks.StartupBenchmark} starts. They have their own package, so that
 * no other entity is found.
 */
@NullMarked
package io.sagaspring.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
