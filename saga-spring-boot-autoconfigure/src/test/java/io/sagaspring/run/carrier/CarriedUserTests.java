package io.sagaspring.run.carrier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.authentication.RememberMeAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;

class CarriedUserTests {

    private final CarriedUser carrier = new CarriedUser();

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    private Map<String, String> captured(Authentication user) {
        SecurityContextHolder.getContext().setAuthentication(user);
        Map<String, String> carried = new HashMap<>();
        carrier.capture(carried);
        SecurityContextHolder.clearContext();
        return carried;
    }

    @Test
    void theUserIsRestoredWithAuthoritiesOfAnyName() {
        Map<String, String> carried = captured(UsernamePasswordAuthenticationToken.authenticated(
                "ada", "secret", AuthorityUtils.createAuthorityList("ROLE_CLERK", "CN=board,O=bank")));
        AtomicReference<@Nullable Authentication> seen = new AtomicReference<>();

        carrier.restore(
                carried,
                "run",
                () -> seen.set(SecurityContextHolder.getContext().getAuthentication()));

        Authentication user = Objects.requireNonNull(seen.get());
        assertThat(user.getName()).isEqualTo("ada");
        assertThat(user.isAuthenticated()).isTrue();
        assertThat(user.getCredentials()).isNull();
        assertThat(user.getAuthorities())
                .extracting(GrantedAuthority::getAuthority)
                .containsExactlyInAnyOrder("ROLE_CLERK", "CN=board,O=bank");
        assertThat(SecurityContextHolder.getContext().getAuthentication()).isNull();
        assertThat(carried.values()).doesNotContain("secret");
    }

    /** The thread may be that of a caller, or a pool's thread that executes other runs later. */
    @Test
    void aRunWithoutAUserNeitherSeesTheThreadsUserNorChangesIt() {
        Authentication caller = UsernamePasswordAuthenticationToken.authenticated("ada", null, List.of());
        SecurityContextHolder.getContext().setAuthentication(caller);
        AtomicReference<@Nullable Authentication> seen = new AtomicReference<>();

        carrier.restore(Map.of(), "run", () -> {
            seen.set(SecurityContextHolder.getContext().getAuthentication());
            SecurityContextHolder.getContext()
                    .setAuthentication(UsernamePasswordAuthenticationToken.authenticated("system", null, List.of()));
        });

        assertThat(seen.get()).isNull();
        assertThat(SecurityContextHolder.getContext().getAuthentication()).isSameAs(caller);
    }

    @Test
    void aRestoredRememberMeUserIsNotFullyAuthenticated() {
        Map<String, String> carried = captured(
                new RememberMeAuthenticationToken("key", "ada", AuthorityUtils.createAuthorityList("ROLE_CLERK")));
        AtomicReference<@Nullable Authentication> seen = new AtomicReference<>();

        carrier.restore(
                carried,
                "run",
                () -> seen.set(SecurityContextHolder.getContext().getAuthentication()));

        Authentication user = Objects.requireNonNull(seen.get());
        assertThat(user.getName()).isEqualTo("ada");
        assertThat(new AuthenticationTrustResolverImpl().isFullyAuthenticated(user))
                .isFalse();
    }

    @Test
    void anAnonymousOrUnauthenticatedUserIsNotCarried() {
        assertThat(captured(new AnonymousAuthenticationToken(
                        "key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"))))
                .isEmpty();
        assertThat(captured(UsernamePasswordAuthenticationToken.unauthenticated("ada", "guess")))
                .isEmpty();
    }
}
