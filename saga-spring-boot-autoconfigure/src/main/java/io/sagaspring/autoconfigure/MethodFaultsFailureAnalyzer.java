package io.sagaspring.autoconfigure;

import io.sagaspring.method.MethodFaultsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints every method that looks protected and could not be. */
final class MethodFaultsFailureAnalyzer extends AbstractFailureAnalyzer<MethodFaultsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MethodFaultsException cause) {
        return new FailureAnalysis(
                "These methods are annotated %s, and %s:%n%n- %s"
                        .formatted(cause.annotation(), cause.consequence(), String.join("\n- ", cause.faults())),
                "Change each as its sentence says, or remove its annotation.",
                cause);
    }
}
