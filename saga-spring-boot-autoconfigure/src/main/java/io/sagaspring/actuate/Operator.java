package io.sagaspring.actuate;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Names the person who requests an operation, for logs, reasons and journals. */
final class Operator {

    /** The operator's name for calls over JMX, and for requests without an authenticated user. */
    static final String UNKNOWN = "an operator";

    private static final int LONGEST = 200;

    private static final boolean HAS_SERVLETS = ClassUtils.isPresent(
                    "jakarta.servlet.http.HttpServletRequest", Operator.class.getClassLoader())
            && ClassUtils.isPresent(
                    "org.springframework.web.context.request.RequestContextHolder", Operator.class.getClassLoader());

    private Operator() {}

    static String of(SecurityContext security) {
        return named(security.getPrincipal());
    }

    /**
     * Names the user of the current request, for a {@code POST} operation without a body. Such an operation cannot have
     * a parameter for its security context: Actuator would treat the parameter as part of the body, and the operation
     * would not override the endpoint's operation.
     */
    static String ofRequest() {
        return HAS_SERVLETS ? named(Servlets.principal()) : UNKNOWN;
    }

    /** Removes control characters, so that a user's name cannot forge log lines. */
    private static String named(@Nullable Principal principal) {
        String name = principal == null ? null : principal.getName();
        if (name == null || name.isBlank()) {
            return UNKNOWN;
        }
        String printable = name.replaceAll("[\\p{Cntrl}\u2028\u2029]", " ");
        return "'%s'".formatted(printable.length() <= LONGEST ? printable : printable.substring(0, LONGEST) + "…");
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
