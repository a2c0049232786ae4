package io.sagaspring.method;

import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * Stands before annotated methods.
 *
 * @param <M> what is known of one
 * @since 0.1.0
 */
public abstract class MethodAdvice<M> implements MethodInterceptor {

    private final AdvisedMethods<?, M> methods;

    /**
     * Advice for methods.
     *
     * @param methods which ones
     */
    protected MethodAdvice(AdvisedMethods<?, M> methods) {
        this.methods = methods;
    }

    /**
     * Carries the annotation out.
     *
     * @param method what is known of the method
     * @param invocation the call
     * @return what the call returns
     * @throws Exception what the call throws
     */
    protected abstract @Nullable Object around(M method, MethodInvocation invocation) throws Exception;

    @Override
    public final @Nullable Object invoke(MethodInvocation invocation) throws Exception {
        Method called = invocation.getMethod();
        Object target = invocation.getThis();
        M method = methods.find(called, target == null ? called.getDeclaringClass() : AopUtils.getTargetClass(target));
        if (method == null) {
            throw new IllegalStateException(
                    "%s is annotated, and what its %s says was not found for %s. It was not called."
                            .formatted(
                                    called,
                                    methods.annotationName(),
                                    target == null ? "its proxy" : target.getClass()));
        }
        return around(method, invocation);
    }

    /**
     * Goes on with a call.
     *
     * @param invocation the call
     * @return what it returned
     * @throws Exception what it threw
     */
    protected static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
        try {
            return invocation.proceed();
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable neither) {
            throw new UndeclaredThrowableException(neither);
        }
    }
}
