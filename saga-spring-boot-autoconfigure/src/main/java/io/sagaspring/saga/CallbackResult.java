package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * The result of a callback.
 *
 * @param applied true if the step has received the callback or will receive it; an applied callback is durable
 * @param because the reason why the callback was not applied, or null
 * @since 0.1.0
 */
public record CallbackResult(boolean applied, @Nullable String because) {

    static final CallbackResult APPLIED = new CallbackResult(true, null);

    static CallbackResult tooLate(String because) {
        return new CallbackResult(false, because);
    }
}
