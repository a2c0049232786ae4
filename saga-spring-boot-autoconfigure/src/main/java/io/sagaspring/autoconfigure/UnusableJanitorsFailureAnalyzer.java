package io.sagaspring.autoconfigure;

import io.sagaspring.janitor.UnusableJanitorsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints janitors that would free nothing. */
final class UnusableJanitorsFailureAnalyzer extends AbstractFailureAnalyzer<UnusableJanitorsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnusableJanitorsException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
