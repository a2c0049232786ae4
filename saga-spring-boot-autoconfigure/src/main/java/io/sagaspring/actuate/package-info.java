/**
 * What operators see of claims and due work, and what they may do about it: meters, health and Actuator endpoints. Nothing
 * here decides anything, and nothing here may slow down or break what it reports on. Start reading at {@link
 * io.sagaspring.actuate.SagaHealthIndicator} and {@link io.sagaspring.actuate.ClaimsEndpoint}.
 *
 * <p>Its public types are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.actuate;

import org.jspecify.annotations.NullMarked;
