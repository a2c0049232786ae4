/**
 * Tests of claims, keys, leases and runs among processes that race, halt, are killed or frozen. A journal that uses
 * nothing of the engine records what the actions did, and {@link io.sagaspring.chaos.Inspection} judges it. Start
 * reading at {@link io.sagaspring.chaos.Depot}, the application of the processes for claims.
 */
@NullMarked
package io.sagaspring.chaos;

import org.jspecify.annotations.NullMarked;
