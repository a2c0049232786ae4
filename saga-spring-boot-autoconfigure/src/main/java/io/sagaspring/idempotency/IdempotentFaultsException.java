package io.sagaspring.idempotency;

import java.util.List;

/** Methods that are annotated {@link Idempotent} and could not be protected. The application does not start. */
public final class IdempotentFaultsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String[] faults;

    /**
     * The refusal.
     *
     * @param faults each a sentence
     */
    public IdempotentFaultsException(List<String> faults) {
        super("These methods cannot be @Idempotent as they are written:\n- " + String.join("\n- ", faults));
        this.faults = faults.toArray(String[]::new);
    }

    /**
     * What is wrong.
     *
     * @return sentences
     */
    public List<String> faults() {
        return List.of(faults);
    }
}
