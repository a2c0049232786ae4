package io.sagaspring.saga;

import io.sagaspring.run.CompensationFailedException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a compensation was given up. Its cause is the exception for the failure, the cancellation or the time-out
 * that led to the compensation.
 */
final class GivenUpCompensationException extends CompensationFailedException {

    private static final long serialVersionUID = 1L;

    private final transient StepError error;

    private GivenUpCompensationException(String message, StepError error, @Nullable Throwable thrown, Throwable cause) {
        super(message, cause);
        this.error = error;
        setStackTrace(thrown == null ? new StackTraceElement[0] : thrown.getStackTrace());
    }

    /**
     * Creates an exception that names the compensations that failed, and those that were therefore not started.
     */
    static GivenUpCompensationException of(List<? extends PendingCompensation<?>> open, Exception why) {
        List<? extends PendingCompensation<?>> failed =
                open.stream().filter(each -> each.error() != null).toList();
        List<String> notBegun = open.stream()
                .filter(each -> each.error() == null)
                .map(each -> "'%s'".formatted(each.step().name()))
                .toList();
        String message = failed.stream()
                        .map(each -> "Step '%s' could not be compensated: %s"
                                .formatted(each.step().name(), each.error()))
                        .collect(Collectors.joining(" "))
                + (notBegun.isEmpty()
                        ? ""
                        : " Compensation stopped there, so these earlier steps are not compensated: %s."
                                .formatted(String.join(", ", notBegun)));
        PendingCompensation<?> first = failed.get(0);
        return new GivenUpCompensationException(message, Objects.requireNonNull(first.error()), first.thrown(), why);
    }

    StepError error() {
        return error;
    }
}
