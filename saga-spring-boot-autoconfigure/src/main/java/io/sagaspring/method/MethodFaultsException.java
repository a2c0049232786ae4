package io.sagaspring.method;

import io.sagaspring.startup.StartupFaultException;
import java.lang.annotation.Annotation;
import java.util.List;

/**
 * Methods whose annotation could not be carried out.
 *
 * @since 0.1.0
 */
public abstract class MethodFaultsException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    private final String[] faults;

    /**
     * The refusal.
     *
     * @param annotation the one that they bear
     * @param consequence what would become of the methods all the same, as a clause
     * @param faults each a sentence
     */
    protected MethodFaultsException(Class<? extends Annotation> annotation, String consequence, List<String> faults) {
        this(
                annotation.getSimpleName(),
                consequence,
                faults.stream().distinct().sorted().toArray(String[]::new));
    }

    private MethodFaultsException(String annotation, String consequence, String[] faults) {
        super(
                "These methods cannot be @%s as they are written:\n- %s"
                        .formatted(annotation, String.join("\n- ", faults)),
                "These methods are annotated @%s, and %s:%n%n- %s"
                        .formatted(annotation, consequence, String.join("\n- ", faults)),
                "Change each as its sentence says, or remove its annotation.");
        this.faults = faults;
    }

    /**
     * What is wrong.
     *
     * @return sentences, each once, in the order of the methods' names
     */
    public List<String> faults() {
        return List.of(faults);
    }
}
