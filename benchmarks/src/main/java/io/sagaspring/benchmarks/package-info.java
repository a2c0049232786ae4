/** The benchmarks. Each workload on the benchmarks' pages is one class with a main method. */
@NullMarked
package io.sagaspring.benchmarks;

import org.jspecify.annotations.NullMarked;
