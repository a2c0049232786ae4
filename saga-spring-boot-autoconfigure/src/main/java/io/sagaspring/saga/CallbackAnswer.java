package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * What became of what somebody said about an asynchronous step.
 *
 * @param applied whether the step heard it, or will: what is applied is durable
 * @param because why it is not
 * @since 0.1.0
 */
public record CallbackAnswer(boolean applied, @Nullable String because) {

    static final CallbackAnswer APPLIED = new CallbackAnswer(true, null);

    static CallbackAnswer tooLate(String because) {
        return new CallbackAnswer(false, because);
    }
}
