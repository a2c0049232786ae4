package io.sagaspring.idempotency;

import static java.util.stream.Collectors.joining;

import java.util.List;

/** Methods are {@link Idempotent} in ways that cannot work. It names every fault, so that one start shows them all. */
public final class IdempotentFaultsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> faults;

    /**
     * All of them at once.
     *
     * @param faults at least one, each a sentence that names its method
     */
    public IdempotentFaultsException(List<String> faults) {
        super(faults.stream()
                .map("- %s"::formatted)
                .collect(joining("\n", "These methods cannot be @Idempotent as they are written:\n", "")));
        this.faults = List.copyOf(faults);
    }

    /**
     * What is wrong.
     *
     * @return a sentence for each fault
     */
    public List<String> faults() {
        return faults;
    }
}
