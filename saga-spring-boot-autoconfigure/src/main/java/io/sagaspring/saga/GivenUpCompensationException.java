package io.sagaspring.saga;

import io.sagaspring.run.CompensationFailedException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The failure of a compensation that was given up. Its cause is the failure because of which the saga was compensated. */
final class GivenUpCompensationException extends CompensationFailedException {

    private static final long serialVersionUID = 1L;

    private final transient StepError error;

    private GivenUpCompensationException(String message, StepError error, @Nullable Throwable thrown, Throwable cause) {
        super(message, cause);
        this.error = error;
        setStackTrace(thrown == null ? new StackTraceElement[0] : thrown.getStackTrace());
    }

    /**
     * Makes an exception whose message names the compensations that failed, and those that were not begun because of
     * that.
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
                        : " Compensation has stopped there, and these earlier steps are not compensated: %s."
                                .formatted(String.join(", ", notBegun)));
        PendingCompensation<?> first = failed.get(0);
        return new GivenUpCompensationException(message, Objects.requireNonNull(first.error()), first.thrown(), why);
    }

    StepError error() {
        return error;
    }
}
