package io.sagaspring.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;

/**
 * The header and the token that Spring Security expects in each write request of the page.
 *
 * @param header the name of the header
 * @param token the token
 */
record CsrfHeader(String header, String token) {

    private static final boolean HAS_SECURITY =
            ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken", CsrfHeader.class.getClassLoader());

    /** Returns null if Spring Security is missing, or does not protect this application against forged requests. */
    static @Nullable CsrfHeader of(HttpServletRequest request) {
        return HAS_SECURITY ? Protected.header(request) : null;
    }

    /** Loaded only if Spring Security is on the class path. */
    private static final class Protected {

        static @Nullable CsrfHeader header(HttpServletRequest request) {
            return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                    ? new CsrfHeader(token.getHeaderName(), token.getToken())
                    : null;
        }
    }
}
