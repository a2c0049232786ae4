package io.sagaspring.autoconfigure;

import io.sagaspring.idempotency.IdempotentFaultsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints every method that looks idempotent and could not be. */
final class IdempotentFaultsFailureAnalyzer extends AbstractFailureAnalyzer<IdempotentFaultsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, IdempotentFaultsException cause) {
        return new FailureAnalysis(
                "These methods are annotated @Idempotent, and would be carried out twice nevertheless:%n%n- %s"
                        .formatted(String.join("\n- ", cause.faults())),
                "Change each as its sentence says, or remove its annotation.",
                cause);
    }
}
