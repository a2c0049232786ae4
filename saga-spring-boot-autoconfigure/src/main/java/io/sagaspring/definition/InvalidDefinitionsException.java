package io.sagaspring.definition;

import static java.util.stream.Collectors.joining;

import java.util.List;

/**
 * The configured workflows break rules. It names every fault of every workflow, so that one start shows them all.
 *
 * @since 0.1.0
 */
public final class InvalidDefinitionsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<Fault> faults;

    /**
     * All of them at once.
     *
     * @param faults at least one
     */
    public InvalidDefinitionsException(List<Fault> faults) {
        super(faults.stream()
                .map(Fault::toString)
                .collect(joining("\n", "The configured workflows are not valid:\n", "")));
        this.faults = List.copyOf(faults);
    }

    /**
     * What is wrong.
     *
     * @return every fault of every workflow
     */
    public List<Fault> faults() {
        return faults;
    }
}
