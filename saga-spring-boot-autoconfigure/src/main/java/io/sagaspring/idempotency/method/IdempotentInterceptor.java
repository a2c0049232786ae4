package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.MissingKeyException;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.idempotency.Work;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.function.SingletonSupplier;

/** Carries a method out once for each key. */
final class IdempotentInterceptor implements MethodInterceptor {

    private static final Logger logger = LoggerFactory.getLogger(IdempotentInterceptor.class);

    private final ProtectedMethods methods;
    private final SingletonSupplier<Idempotency> idempotency;
    private final SingletonSupplier<OwnerResolver> owners;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    IdempotentInterceptor(ProtectedMethods methods, Surroundings surroundings) {
        this.methods = methods;
        this.idempotency = SingletonSupplier.of(surroundings::idempotency);
        this.owners = SingletonSupplier.of(surroundings::owners);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Method called = invocation.getMethod();
        Object target = invocation.getThis();
        IdempotentMethod method =
                methods.find(called, target == null ? called.getDeclaringClass() : AopUtils.getTargetClass(target));
        if (method == null) {
            throw new IllegalStateException(
                    "%s is to be carried out once, and what its @Idempotent says was not found for %s. It was not called."
                            .formatted(called, target == null ? "its proxy" : target.getClass()));
        }
        return once(method, invocation);
    }

    private @Nullable Object once(IdempotentMethod method, MethodInvocation invocation) throws Exception {
        Arguments arguments = method.arguments(invocation.getArguments());
        IdempotencyKey key = method.key(owners.obtain().owner(), arguments);
        if (key.requestId() == null) {
            requireNone(method, key);
        }
        Idempotency manner =
                idempotency.obtain().waiting(method.patience()).unless(result -> method.isFailure(result, arguments));
        Work<@Nullable Object, Exception> work = () -> proceed(invocation);
        return (method.annotation().sameTransaction() ? manner.inTransaction() : manner)
                .execute(key, method.returned(), work);
    }

    private void requireNone(IdempotentMethod method, IdempotencyKey key) {
        if (method.annotation().required()) {
            throw new MissingKeyException(key.operation());
        }
        if (warned.add(method.name())) {
            logger.warn(
                    "{} was called without a request id, and so without protection; this is said once", method.name());
        }
    }

    private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
        try {
            return invocation.proceed();
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable neither) {
            throw new UndeclaredThrowableException(neither);
        }
    }
}
