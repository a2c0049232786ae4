package io.sagaspring.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;

/** Finds the person who sends a request, with and without Spring Security. */
final class CurrentPerson {

    private static final boolean HAS_SECURITY = ClassUtils.isPresent(
            "org.springframework.security.core.context.SecurityContextHolder", CurrentPerson.class.getClassLoader());

    private CurrentPerson() {}

    static @Nullable Principal of(HttpServletRequest request) {
        return HAS_SECURITY ? Authenticated.person() : request.getUserPrincipal();
    }

    /** Loaded only if Spring Security is on the class path. */
    private static final class Authenticated {

        static @Nullable Principal person() {
            Authentication found = SecurityContextHolder.getContext().getAuthentication();
            return found == null || found instanceof AnonymousAuthenticationToken || !found.isAuthenticated()
                    ? null
                    : found;
        }
    }
}
