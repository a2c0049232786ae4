package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.MissingKeyException;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.idempotency.Work;
import io.sagaspring.payload.PayloadCodec;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;

/** Stands before every other advice of a method: its claim must be committed before a transaction of the method begins. */
final class IdempotentInterceptor implements MethodInterceptor {

    private static final Logger logger = LoggerFactory.getLogger(IdempotentInterceptor.class);

    private final Map<Method, IdempotentMethod> methods;
    private final Supplier<Tools> tools;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    /** What is needed when a method is called, and not before: its bean may be made earlier than these. */
    record Tools(Idempotency idempotency, OwnerResolver owners, PayloadCodec codec) {}

    IdempotentInterceptor(Map<Method, IdempotentMethod> methods, Supplier<Tools> tools) {
        this.methods = methods;
        this.tools = tools;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        IdempotentMethod method = methods.get(AopUtils.getMostSpecificMethod(
                invocation.getMethod(), target == null ? null : AopUtils.getTargetClass(target)));
        return method == null ? invocation.proceed() : once(method, invocation);
    }

    private @Nullable Object once(IdempotentMethod method, MethodInvocation invocation) throws Exception {
        Tools with = tools.get();
        Map<String, @Nullable Object> arguments =
                MethodReader.arguments(invocation.getMethod(), invocation.getArguments());
        IdempotencyKey key = method.key(with.owners().owner(), arguments, with.codec());
        if (key.requestId() == null) {
            requireNone(method, key);
        }
        Idempotency manner =
                with.idempotency().waiting(method.patience()).unless(result -> method.isFailure(result, arguments));
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
