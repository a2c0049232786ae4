package io.sagaspring.idempotency.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The request attributes that Spring binds to the thread while the handler runs. Their request and response are the
 * buffered ones that the handler also gets as parameters. Attributes and destruction callbacks are those of the
 * original request, because Spring ends the request scope with the original object.
 */
final class CurrentRequest extends ServletRequestAttributes {

    private final ServletRequestAttributes original;

    private CurrentRequest(
            HttpServletRequest request, HttpServletResponse response, ServletRequestAttributes original) {
        super(request, response);
        this.original = original;
    }

    /** A call of the handler. */
    @FunctionalInterface
    interface Handling<T extends @Nullable Object> {
        T handle() throws Exception;
    }

    static <T extends @Nullable Object> T during(
            HttpServletRequest request, HttpServletResponse response, Handling<T> handling) throws Exception {
        RequestAttributes before = RequestContextHolder.getRequestAttributes();
        if (!(before instanceof ServletRequestAttributes original)) {
            return handling.handle();
        }
        RequestContextHolder.setRequestAttributes(new CurrentRequest(request, response, original));
        try {
            return handling.handle();
        } finally {
            RequestContextHolder.setRequestAttributes(before);
        }
    }

    @Override
    public @Nullable Object getAttribute(String name, int scope) {
        return original.getAttribute(name, scope);
    }

    @Override
    public void setAttribute(String name, Object value, int scope) {
        original.setAttribute(name, value, scope);
    }

    @Override
    public void removeAttribute(String name, int scope) {
        original.removeAttribute(name, scope);
    }

    @Override
    public String[] getAttributeNames(int scope) {
        return original.getAttributeNames(scope);
    }

    @Override
    public void registerDestructionCallback(String name, Runnable callback, int scope) {
        original.registerDestructionCallback(name, callback, scope);
    }
}
