package io.sagaspring.method;

import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * The advice of annotated methods.
 *
 * @param <M> the type of a method's parsed annotation
 * @since 0.1.0
 */
public abstract class MethodAdvice<M> implements MethodInterceptor {

    private final AdvisedMethods<?, M> methods;

    /**
     * Creates advice for methods.
     *
     * @param methods the methods that the advice intercepts, with their parsed annotations
     */
    protected MethodAdvice(AdvisedMethods<?, M> methods) {
        this.methods = methods;
    }

    /**
     * Executes a call as its annotation requires.
     *
     * @param method the parsed annotation of the method
     * @param invocation the call
     * @return the result for the caller
     * @throws Exception if the call or the advice fails
     */
    protected abstract @Nullable Object around(M method, MethodInvocation invocation) throws Exception;

    @Override
    public final @Nullable Object invoke(MethodInvocation invocation) throws Exception {
        Method called = invocation.getMethod();
        Object target = invocation.getThis();
        M method = methods.find(called, target == null ? called.getDeclaringClass() : AopUtils.getTargetClass(target));
        if (method == null) {
            throw new IllegalStateException(
                    "The method %s was not called. It is intercepted because of %s, but this annotation was not found in %s."
                            .formatted(
                                    called,
                                    methods.annotationName(),
                                    target == null ? "its proxy" : target.getClass()));
        }
        return around(method, invocation);
    }

    /**
     * Proceeds with a call.
     *
     * @param invocation the call
     * @return its result
     * @throws Exception if the call throws it
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
