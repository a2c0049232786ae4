package io.sagaspring.method;

import java.lang.annotation.Annotation;
import java.util.List;

/**
 * Methods whose annotation could not be carried out. The application does not start.
 *
 * @since 0.1.0
 */
public abstract class MethodFaultsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String annotation;
    private final String consequence;
    private final String[] faults;

    /**
     * The refusal.
     *
     * @param annotation the one that they bear
     * @param consequence what would become of the methods all the same, as a clause
     * @param faults each a sentence
     */
    protected MethodFaultsException(Class<? extends Annotation> annotation, String consequence, List<String> faults) {
        super("These methods cannot be @%s as they are written:\n- %s"
                .formatted(annotation.getSimpleName(), String.join("\n- ", sorted(faults))));
        this.annotation = "@" + annotation.getSimpleName();
        this.consequence = consequence;
        this.faults = sorted(faults).toArray(String[]::new);
    }

    private static List<String> sorted(List<String> faults) {
        return faults.stream().distinct().sorted().toList();
    }

    /**
     * What they bear.
     *
     * @return the annotation, as it is written
     */
    public String annotation() {
        return annotation;
    }

    /**
     * What would become of them.
     *
     * @return a clause whose subject they are
     */
    public String consequence() {
        return consequence;
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
