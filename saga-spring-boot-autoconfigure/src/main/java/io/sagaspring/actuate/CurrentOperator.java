package io.sagaspring.actuate;

import io.sagaspring.operations.Operator;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Finds the person who requests an operation of an endpoint. */
final class CurrentOperator {

    /** The operator of calls over JMX, and of requests without an authenticated user. */
    static final Operator UNKNOWN = new Operator(null, Operator.Access.ACTUATOR);

    private static final boolean HAS_SERVLETS =
            ClassUtils.isPresent("jakarta.servlet.http.HttpServletRequest", CurrentOperator.class.getClassLoader())
                    && ClassUtils.isPresent(
                            "org.springframework.web.context.request.RequestContextHolder",
                            CurrentOperator.class.getClassLoader());

    private CurrentOperator() {}

    static Operator of(SecurityContext security) {
        return named(security.getPrincipal());
    }

    /**
     * Names the user of the current request, for a {@code POST} operation without a body. Such an operation cannot have
     * a parameter for its security context: Actuator would treat the parameter as part of the body, and the operation
     * would not override the endpoint's operation.
     */
    static Operator ofRequest() {
        return HAS_SERVLETS ? named(Servlets.principal()) : UNKNOWN;
    }

    private static Operator named(@Nullable Principal principal) {
        return principal == null ? UNKNOWN : new Operator(principal.getName(), Operator.Access.ACTUATOR);
    }

    /** Accesses the current request. This class is loaded only if the servlet API is present. */
    private static final class Servlets {

        static @Nullable Principal principal() {
            if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current) {
                HttpServletRequest request = current.getRequest();
                return request.getUserPrincipal();
            }
            return null;
        }
    }
}
