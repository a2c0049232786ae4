package io.sagaspring.dashboard;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;

/** Allows a request if Spring Security has given the person the authority of the permission. */
final class AuthorityAccess implements SagaAccess {

    @Override
    public boolean may(SagaPermission permission, @Nullable Principal person) {
        return person instanceof Authentication authentication
                && authentication.isAuthenticated()
                && authentication.getAuthorities().stream()
                        .anyMatch(each -> permission.authority().equals(each.getAuthority()));
    }
}
