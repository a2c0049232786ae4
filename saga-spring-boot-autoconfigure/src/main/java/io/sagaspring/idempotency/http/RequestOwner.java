package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.OwnerResolver;
import java.security.Principal;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The user of the current web request owns its key. */
public final class RequestOwner implements OwnerResolver {

    /** Asks the current request each time. */
    public RequestOwner() {}

    @Override
    public String owner() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current) {
            Principal user = current.getRequest().getUserPrincipal();
            return IdempotencyKey.named(user == null ? null : user.getName());
        }
        return IdempotencyKey.NONE;
    }
}
