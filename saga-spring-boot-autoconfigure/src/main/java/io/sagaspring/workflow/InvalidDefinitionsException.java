package io.sagaspring.workflow;

import static java.util.stream.Collectors.joining;

import io.sagaspring.definition.Fault;
import io.sagaspring.startup.StartupFaultException;
import java.util.List;

/**
 * Thrown when configured workflows break rules. The exception lists every fault of every workflow, so that one start
 * shows all of them.
 */
final class InvalidDefinitionsException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    private final transient List<Fault> faults;

    InvalidDefinitionsException(List<Fault> faults) {
        super(
                faults.stream()
                        .map(Fault::toString)
                        .collect(joining("\n", "The configured workflows are not valid:\n", "")),
                "Faults in the configured workflows: %d%n%n%s"
                        .formatted(
                                faults.size(),
                                faults.stream()
                                        .map(InvalidDefinitionsException::lines)
                                        .collect(joining("%n".formatted()))),
                "Correct each fault as described above.");
        this.faults = List.copyOf(faults);
    }

    /** Formats a fault with its property, its rule and its place. */
    private static String lines(Fault fault) {
        return "    %s%n        %s%n        Rule: %s%s%n"
                .formatted(
                        fault.path(),
                        fault.sentence(),
                        fault.rule(),
                        fault.whereFrom().map(", at "::concat).orElse(""));
    }

    List<Fault> faults() {
        return faults;
    }
}
