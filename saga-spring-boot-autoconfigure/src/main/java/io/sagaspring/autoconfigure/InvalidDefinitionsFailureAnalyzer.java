package io.sagaspring.autoconfigure;

import static java.util.stream.Collectors.joining;

import io.sagaspring.definition.Fault;
import io.sagaspring.definition.InvalidDefinitionsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints every fault of the configured workflows, with its property, its rule and its place. */
final class InvalidDefinitionsFailureAnalyzer extends AbstractFailureAnalyzer<InvalidDefinitionsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidDefinitionsException cause) {
        return new FailureAnalysis(
                "Faults in the configured workflows: %d%n%n%s"
                        .formatted(
                                cause.faults().size(),
                                cause.faults().stream()
                                        .map(InvalidDefinitionsFailureAnalyzer::lines)
                                        .collect(joining("%n".formatted()))),
                "Correct them all; each names its property and what to do.",
                cause);
    }

    private static String lines(Fault fault) {
        return "    %s%n        %s%n        Rule: %s%s%n"
                .formatted(
                        fault.path(),
                        fault.sentence(),
                        fault.rule(),
                        fault.whereFrom().map(", at "::concat).orElse(""));
    }
}
