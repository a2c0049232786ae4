package io.sagaspring.autoconfigure;

import io.sagaspring.startup.StartupFaultException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints the faults for which the application does not start as Spring Boot prints its own. */
final class StartupFaultFailureAnalyzer extends AbstractFailureAnalyzer<StartupFaultException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartupFaultException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
