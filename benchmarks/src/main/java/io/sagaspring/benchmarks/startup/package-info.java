/**
 * The applications that {@link io.sagaspring.benchmarks.StartupBenchmark} starts. They have a package of their own, so
 * that no other entity is found.
 */
@NullMarked
package io.sagaspring.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
