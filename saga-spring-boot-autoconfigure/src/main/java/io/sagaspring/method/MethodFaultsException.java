package io.sagaspring.method;

import io.sagaspring.startup.StartupFaultException;
import java.lang.annotation.Annotation;
import java.util.List;

/**
 * Reports methods whose annotation cannot take effect.
 *
 * @since 0.1.0
 */
public abstract class MethodFaultsException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    private final String[] faults;

    /**
     * Creates the exception.
     *
     * @param annotation the annotation of the methods
     * @param consequence the effect of ignoring the faults, as a predicate such as "would run without protection"
     * @param faults the faults, each a sentence
     */
    protected MethodFaultsException(Class<? extends Annotation> annotation, String consequence, List<String> faults) {
        this(
                annotation.getSimpleName(),
                consequence,
                faults.stream().distinct().sorted().toArray(String[]::new));
    }

    private MethodFaultsException(String annotation, String consequence, String[] faults) {
        super(
                "These methods are annotated @%s, but the annotation cannot take effect:\n- %s"
                        .formatted(annotation, String.join("\n- ", faults)),
                "These methods are annotated @%s, but %s:%n%n- %s"
                        .formatted(annotation, consequence, String.join("\n- ", faults)),
                "Correct each method as described above, or remove its annotation.");
        this.faults = faults;
    }

    /**
     * Returns the faults.
     *
     * @return distinct sentences, ordered by the names of the methods
     */
    public List<String> faults() {
        return List.of(faults);
    }
}
