package io.sagaspring.saga;

import io.sagaspring.run.CompensationFailedException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A compensation of a saga was given up. Its cause is why the saga was compensated at all. */
final class GivenUpCompensationException extends CompensationFailedException {

    private static final long serialVersionUID = 1L;

    private final transient StepError error;

    private GivenUpCompensationException(String message, StepError error, @Nullable Throwable thrown, Throwable cause) {
        super(message, cause);
        this.error = error;
        setStackTrace(thrown == null ? new StackTraceElement[0] : thrown.getStackTrace());
    }

    /** Says which undos failed, and which were not begun for that. */
    static GivenUpCompensationException of(List<? extends PendingCompensation<?>> left, Exception why) {
        List<? extends PendingCompensation<?>> failed =
                left.stream().filter(each -> each.error() != null).toList();
        List<String> held = left.stream()
                .filter(each -> each.error() == null)
                .map(each -> "'%s'".formatted(each.step().name()))
                .toList();
        String message = failed.stream()
                        .map(each -> "Step '%s' could not be compensated: %s"
                                .formatted(each.step().name(), each.error()))
                        .collect(Collectors.joining(" "))
                + (held.isEmpty()
                        ? ""
                        : " Compensation has stopped there, and these earlier steps are not compensated: %s."
                                .formatted(String.join(", ", held)));
        PendingCompensation<?> first = failed.get(0);
        return new GivenUpCompensationException(message, Objects.requireNonNull(first.error()), first.thrown(), why);
    }

    StepError error() {
        return error;
    }
}
