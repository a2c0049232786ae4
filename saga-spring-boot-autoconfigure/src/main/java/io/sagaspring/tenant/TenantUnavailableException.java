package io.sagaspring.tenant;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when work cannot be executed for the tenant to which it belongs. The work did not begin.
 *
 * @since 0.1.0
 */
public final class TenantUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TenantUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
