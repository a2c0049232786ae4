package com.example.docs.idempotency;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.OwnerResolver;
import java.security.Principal;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

@Component
class TenantOwner implements OwnerResolver {

    @Override
    public String owner() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current)) {
            return IdempotencyKey.NONE;
        }
        Principal user = current.getRequest().getUserPrincipal();
        String tenant = current.getRequest().getHeader("X-Tenant");
        if (user == null || tenant == null) {
            return IdempotencyKey.NONE;
        }
        // With its length, so that no tenant and user together read like another pair.
        return tenant.length() + ":" + tenant + ":" + user.getName();
    }
}
