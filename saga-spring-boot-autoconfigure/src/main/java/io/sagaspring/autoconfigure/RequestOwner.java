package io.sagaspring.autoconfigure;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.OwnerResolver;
import java.security.Principal;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Finds the key owner: the user of the current web request. */
final class RequestOwner implements OwnerResolver {

    @Override
    public String owner() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current) {
            Principal user = current.getRequest().getUserPrincipal();
            return IdempotencyKey.named(user == null ? null : user.getName());
        }
        return IdempotencyKey.NONE;
    }
}
