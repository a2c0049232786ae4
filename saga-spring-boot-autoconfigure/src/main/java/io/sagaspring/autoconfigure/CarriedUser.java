package io.sagaspring.autoconfigure;

import io.sagaspring.run.RunCarrier;
import java.util.Map;
import java.util.Objects;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * The user on whose behalf a run was started, by name and authorities. No credentials are stored, and nobody is not carried:
 * what stands for an anonymous caller would come back as somebody who has logged in.
 */
final class CarriedUser implements RunCarrier {

    private static final String NAME = "user:name";
    private static final String AUTHORITY = "user:authority:";

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    @Override
    public void capture(Map<String, String> carried) {
        Authentication user = SecurityContextHolder.getContext().getAuthentication();
        if (user != null && trust.isAuthenticated(user)) {
            carried.put(NAME, user.getName());
            user.getAuthorities().stream()
                    .map(GrantedAuthority::getAuthority)
                    .filter(Objects::nonNull)
                    .forEach(authority -> carried.put(AUTHORITY + authority, authority));
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
                name,
                null,
                carried.entrySet().stream()
                        .filter(each -> each.getKey().startsWith(AUTHORITY))
                        .map(each -> new SimpleGrantedAuthority(each.getValue()))
                        .toList()));
        SecurityContextHolder.setContext(context);
        try {
            driving.run();
        } finally {
            SecurityContextHolder.setContext(before);
        }
    }
}
