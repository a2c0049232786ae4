package com.example.docs.idempotency;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.OwnerResolver;
import java.security.Principal;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

@Component
class TenantOwner implements OwnerResolver {

    /** The attribute of a request in which a filter stores the tenant, once it has checked that the user may act for it. */
    static final String TENANT = "tenant";

    @Override
    public String owner() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current)) {
            return IdempotencyKey.NONE;
        }
        Principal user = current.getRequest().getUserPrincipal();
        Object tenant = current.getRequest().getAttribute(TENANT);
        if (user == null) {
            return IdempotencyKey.NONE;
        }
        if (tenant == null) {
            throw new IllegalStateException("No filter has checked the tenant of this request.");
        }
        // The length keeps "a:b" + "c" apart from "a" + "b:c".
        return tenant.toString().length() + ":" + tenant + ":" + user.getName();
    }
}
