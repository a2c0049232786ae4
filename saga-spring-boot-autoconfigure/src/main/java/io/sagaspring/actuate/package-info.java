/**
 * What operators see of claims and due work, and what they may do about it: meters, health and Actuator endpoints. Nothing
 * here decides anything, and nothing here may slow down or break what it reports on. Start reading at {@link
 * io.sagaspring.actuate.SagaHealthIndicator} and {@link io.sagaspring.actuate.ClaimsEndpoint}.
 */
@NullMarked
package io.sagaspring.actuate;

import org.jspecify.annotations.NullMarked;
