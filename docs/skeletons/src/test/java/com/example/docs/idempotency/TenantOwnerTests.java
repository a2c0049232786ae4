package com.example.docs.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sagaspring.idempotency.IdempotencyKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

class TenantOwnerTests {

    private final TenantOwner owners = new TenantOwner();

    @AfterEach
    void noRequest() {
        RequestContextHolder.resetRequestAttributes();
    }

    private String owner(String tenant, String user) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setAttribute(TenantOwner.TENANT, tenant);
        request.setUserPrincipal(() -> user);
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
        return owners.owner();
    }

    @Test
    void aUserIsAnotherOwnerInAnotherTenant() {
        assertThat(owner("north", "ann")).isEqualTo(owner("north", "ann")).isNotEqualTo(owner("south", "ann"));
        assertThat(owner("a:b", "c")).isNotEqualTo(owner("a", "b:c"));
    }

    @Test
    void aHeaderOfTheClientDoesNotSetTheTenant() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.addHeader("tenant", "north");
        request.addHeader("X-Tenant", "north");
        request.setUserPrincipal(() -> "ann");
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));

        assertThatIllegalStateException().isThrownBy(owners::owner);
    }

    @Test
    void aCallOutsideARequestHasNoOwner() {
        assertThat(owners.owner()).isEqualTo(IdempotencyKey.NONE);
    }
}
