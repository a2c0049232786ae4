package io.sagaspring.actuate;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Names the person who asks for an operation, for logs, reasons and journals. */
final class Operator {

    /** Over JMX, and where nobody has to say who they are. */
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
     * Names the user of the current request. A {@code POST} without a body cannot have a parameter for its security context:
     * Actuator would take that for a part of the body, and would not let it override the endpoint's own operation.
     */
    static String ofRequest() {
        return HAS_SERVLETS ? named(Servlets.principal()) : UNKNOWN;
    }

    /** Removes control characters: a user's name must not write lines of the log. */
    private static String named(@Nullable Principal principal) {
        String name = principal == null ? null : principal.getName();
        if (name == null || name.isBlank()) {
            return UNKNOWN;
        }
        String printable = name.replaceAll("[\\p{Cntrl}\u2028\u2029]", " ");
        return "'%s'".formatted(printable.length() <= LONGEST ? printable : printable.substring(0, LONGEST) + "…");
    }

    /** Loaded only where there are servlets. */
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
