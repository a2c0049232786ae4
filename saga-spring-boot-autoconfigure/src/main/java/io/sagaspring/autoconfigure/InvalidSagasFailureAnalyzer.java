package io.sagaspring.autoconfigure;

import io.sagaspring.saga.InvalidSagasException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints all that is wrong with the sagas of an application. */
final class InvalidSagasFailureAnalyzer extends AbstractFailureAnalyzer<InvalidSagasException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidSagasException cause) {
        return new FailureAnalysis(
                "Sagas of this application would not do what they say:%n%n- %s"
                        .formatted(String.join("\n- ", cause.faults())),
                "Change each as its sentence says.",
                cause);
    }
}
