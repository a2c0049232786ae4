package io.sagaspring.test.saga;

import io.sagaspring.run.RunView;
import java.util.stream.Collectors;

/** Describes a run for the message of a failed test. */
final class RunText {

    private RunText() {}

    static String of(RunView view) {
        return "Run %s of '%s' is %s%s:%n%s"
                .formatted(
                        view.id(),
                        view.run(),
                        view.state().text(),
                        view.error() == null ? "" : " (%s)".formatted(view.error()),
                        view.steps().stream().map(RunText::of).collect(Collectors.joining(System.lineSeparator())));
    }

    private static String of(RunView.StepView step) {
        return "    %-24s %-20s %-15s attempt %d%s"
                .formatted(
                        step.step(),
                        step.kind(),
                        step.mark(),
                        step.attempt(),
                        step.detail() == null ? "" : "  " + step.detail());
    }
}
