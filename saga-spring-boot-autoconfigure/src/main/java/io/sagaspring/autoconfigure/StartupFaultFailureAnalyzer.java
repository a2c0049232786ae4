package io.sagaspring.autoconfigure;

import io.sagaspring.startup.StartupFaultException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints the faults that prevent the start of the application, in the format of Spring Boot's own failure reports. */
final class StartupFaultFailureAnalyzer extends AbstractFailureAnalyzer<StartupFaultException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartupFaultException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
