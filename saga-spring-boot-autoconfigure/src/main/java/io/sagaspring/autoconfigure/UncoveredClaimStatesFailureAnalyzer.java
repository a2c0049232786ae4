package io.sagaspring.autoconfigure;

import io.sagaspring.janitor.UncoveredClaimStatesException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints every claim state that no janitor covers. */
final class UncoveredClaimStatesFailureAnalyzer extends AbstractFailureAnalyzer<UncoveredClaimStatesException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UncoveredClaimStatesException cause) {
        return new FailureAnalysis(
                "An entity can get stuck in these states, and nothing would free it:%n%n%s"
                        .formatted(cause.getMessage()),
                "Add the janitors: for each module one bean whose class is annotated @ClaimJanitor and extends ScheduledClaimJanitor, or saga.janitor.modules.<module>.default-janitor=true.",
                cause);
    }
}
