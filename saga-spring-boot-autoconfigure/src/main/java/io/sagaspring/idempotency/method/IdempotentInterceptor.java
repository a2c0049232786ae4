package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.KeyedWork;
import io.sagaspring.idempotency.MissingKeyException;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.method.Arguments;
import io.sagaspring.method.MethodAdvice;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.function.SingletonSupplier;

/** The advice that executes a method once per key. */
final class IdempotentInterceptor extends MethodAdvice<IdempotentMethod> {

    private static final Logger logger = LoggerFactory.getLogger(IdempotentInterceptor.class);

    private final SingletonSupplier<Idempotency> idempotency;
    private final SingletonSupplier<OwnerResolver> owners;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    IdempotentInterceptor(IdempotentMethods methods, IdempotentPostProcessor.Application application) {
        super(methods);
        this.idempotency = SingletonSupplier.of(application::idempotency);
        this.owners = SingletonSupplier.of(application::owners);
    }

    @Override
    protected @Nullable Object around(IdempotentMethod method, MethodInvocation invocation) throws Exception {
        Arguments arguments = method.arguments(invocation.getArguments());
        IdempotencyKey key = method.key(owners.obtain().owner(), arguments);
        if (key.requestId() == null) {
            refuseOrWarn(method, key);
        }
        Idempotency template =
                idempotency.obtain().waiting(method.patience()).unless(result -> method.isFailure(result, arguments));
        KeyedWork<@Nullable Object, Exception> work = () -> proceed(invocation);
        return (method.annotation().sameTransaction() ? template.inTransaction() : template)
                .execute(key, method.returned(), work);
    }

    private void refuseOrWarn(IdempotentMethod method, IdempotencyKey key) {
        if (method.annotation().required()) {
            throw new MissingKeyException(key.operation());
        }
        if (warned.add(method.name())) {
            logger.warn(
                    "{} was called without a request id, so it runs without protection. To refuse such calls, set required = true. This is logged once per method.",
                    method.name());
        }
    }
}
