/**
 * Tests of durable listeners: a kit for tests of applications, the contract of stores of deliveries for developers of a store, and a store
 * in memory.
 */
@NullMarked
package io.sagaspring.test.listener;

import org.jspecify.annotations.NullMarked;
