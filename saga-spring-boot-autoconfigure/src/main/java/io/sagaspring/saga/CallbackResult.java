package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * What became of what somebody said about an asynchronous step.
 *
 * @param applied whether the step heard it, or will: what is applied is durable
 * @param because why it is not
 * @since 0.1.0
 */
public record CallbackResult(boolean applied, @Nullable String because) {

    static final CallbackResult APPLIED = new CallbackResult(true, null);

    static CallbackResult tooLate(String because) {
        return new CallbackResult(false, because);
    }
}
