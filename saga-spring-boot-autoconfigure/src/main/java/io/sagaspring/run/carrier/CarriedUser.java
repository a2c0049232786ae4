package io.sagaspring.run.carrier;

import io.sagaspring.run.RunCarrier;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.authentication.RememberMeAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Carries the user on whose behalf a run was started, by name and authorities. No credentials are stored. The restored
 * user has no stronger authentication than the original one: a remembered user is restored as remembered, and for an
 * anonymous caller, the run has no user. A user that the run's code sets does not stay on the thread.
 */
final class CarriedUser implements RunCarrier {

    private static final String NAME = "user:name";
    private static final String REMEMBERED = "user:remembered";
    private static final String AUTHORITY = "user:authority:";

    private final AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();

    @Override
    public void capture(Map<String, String> carried) {
        Authentication user = SecurityContextHolder.getContext().getAuthentication();
        if (user != null && trust.isAuthenticated(user)) {
            carried.put(trust.isRememberMe(user) ? REMEMBERED : NAME, user.getName());
            user.getAuthorities().stream()
                    .map(GrantedAuthority::getAuthority)
                    .filter(Objects::nonNull)
                    .forEach(authority -> carried.put(AUTHORITY + authority, authority));
        }
    }

    @Override
    public void restore(Map<String, String> carried, String run, Runnable work) {
        SecurityContext before = SecurityContextHolder.getContext();
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        context.setAuthentication(user(carried));
        SecurityContextHolder.setContext(context);
        try {
            work.run();
        } finally {
            SecurityContextHolder.setContext(before);
        }
    }

    private static @Nullable Authentication user(Map<String, String> carried) {
        List<SimpleGrantedAuthority> authorities = carried.entrySet().stream()
                .filter(each -> each.getKey().startsWith(AUTHORITY))
                .map(each -> new SimpleGrantedAuthority(each.getValue()))
                .toList();
        String remembered = carried.get(REMEMBERED);
        if (remembered != null) {
            return new RememberMeAuthenticationToken(REMEMBERED, remembered, authorities);
        }
        String name = carried.get(NAME);
        return name == null ? null : UsernamePasswordAuthenticationToken.authenticated(name, null, authorities);
    }
}
