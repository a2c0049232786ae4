package io.sagaspring.autoconfigure;

import io.sagaspring.run.RunCarrier;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/** The user on whose behalf a run was started, by name and authorities. No credentials are stored. */
final class CarriedUser implements RunCarrier {

    private static final String NAME = "user:name";
    private static final String AUTHORITIES = "user:authorities";

    @Override
    public void capture(Map<String, String> carried) {
        Authentication user = SecurityContextHolder.getContext().getAuthentication();
        if (user != null && user.isAuthenticated()) {
            carried.put(NAME, user.getName());
            carried.put(
                    AUTHORITIES,
                    user.getAuthorities().stream()
                            .map(GrantedAuthority::getAuthority)
                            .collect(Collectors.joining(",")));
        }
    }

    @Override
    public void restore(Map<String, String> carried, String run, Runnable driving) {
        String name = carried.get(NAME);
        if (name == null) {
            driving.run();
            return;
        }
        SecurityContext before = SecurityContextHolder.getContext();
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        context.setAuthentication(UsernamePasswordAuthenticationToken.authenticated(
                name, null, AuthorityUtils.commaSeparatedStringToAuthorityList(carried.getOrDefault(AUTHORITIES, ""))));
        SecurityContextHolder.setContext(context);
        try {
            driving.run();
        } finally {
            SecurityContextHolder.setContext(before);
        }
    }
}
