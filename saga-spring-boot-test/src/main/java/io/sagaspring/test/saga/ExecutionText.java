package io.sagaspring.test.saga;

import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.StepView;
import java.util.stream.Collectors;

/** Describes an execution for the message of a failed test. */
final class ExecutionText {

    private ExecutionText() {}

    static String of(ExecutionView view) {
        return "Execution %s of '%s' is %s%s:%n%s%n    context: %s"
                .formatted(
                        view.id(),
                        view.saga(),
                        view.state().text(),
                        view.error() == null ? "" : " (%s)".formatted(view.error()),
                        view.steps().stream()
                                .map(ExecutionText::of)
                                .collect(Collectors.joining(System.lineSeparator())),
                        view.context());
    }

    private static String of(StepView step) {
        return "    %-24s %-12s attempt %d%s"
                .formatted(
                        step.name(),
                        step.state().text(),
                        step.attempt(),
                        step.error() == null ? "" : "  " + step.error());
    }
}
