/**
 * Tests of durable listeners: the contract of every store of deliveries, and a store in memory.
 */
@NullMarked
package io.sagaspring.test.listener;

import org.jspecify.annotations.NullMarked;
