/** What {@link io.sagaspring.benchmarks.StartupBenchmark} starts: in a package of its own, so that no other entity is found. */
@NullMarked
package io.sagaspring.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
