package io.sagaspring.autoconfigure;

import io.sagaspring.run.InvalidRunsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints every run that could not be stored and taken up again. */
final class InvalidRunsFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRunsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidRunsException cause) {
        return new FailureAnalysis(
                "Runs of this application could not be taken up again:%n%n- %s"
                        .formatted(String.join("\n- ", cause.faults())),
                "Change each as its sentence says.",
                cause);
    }
}
