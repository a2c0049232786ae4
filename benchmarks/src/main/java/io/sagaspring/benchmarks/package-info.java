/**
 * The benchmarks. Each workload on the benchmarks' pages is one class with a main method. {@code Plots} draws the plots
 * of these pages.
 */
@NullMarked
package io.sagaspring.benchmarks;

import org.jspecify.annotations.NullMarked;
