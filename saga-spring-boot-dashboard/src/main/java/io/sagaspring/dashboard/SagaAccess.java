package io.sagaspring.dashboard;

import java.security.Principal;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a person may do in the dashboard. Define a bean of this type to replace the default, which asks Spring
 * Security for the authority of the permission. Without Spring Security and without such a bean, the dashboard asks
 * nobody: {@code saga.dashboard.access} alone decides.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface SagaAccess {

    /**
     * Decides about one request. The dashboard calls this method for each request for data.
     *
     * @param permission the permission that the request needs
     * @param person the authenticated person, or null if the request is anonymous
     * @return true to allow the request
     */
    boolean may(SagaPermission permission, @Nullable Principal person);
}
