package io.sagaspring.autoconfigure;

import io.sagaspring.startup.StartupFaultException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints what keeps the application from starting as Spring Boot prints its own. */
final class StartupFaultFailureAnalyzer extends AbstractFailureAnalyzer<StartupFaultException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartupFaultException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
