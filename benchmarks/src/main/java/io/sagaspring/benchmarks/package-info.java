/** Each workload of the benchmarks' README is one class with a main method. */
@NullMarked
package io.sagaspring.benchmarks;

import org.jspecify.annotations.NullMarked;
