package io.sagaspring.test.database;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Finds {@link FreshDatabase} on a test class, or on the class that encloses a {@code @Nested} class.
 *
 * @since 0.1.0
 */
public final class FreshDatabaseContextCustomizerFactory implements ContextCustomizerFactory {

    /** Creates the factory. Spring's test framework calls this constructor. */
    public FreshDatabaseContextCustomizerFactory() {}

    /**
     * Returns a customizer that works like a {@link FreshDatabase} without a template or a name, for other annotations
     * that need a database.
     *
     * @param owner the class that owns the database and does not share it
     * @return the customizer, which connects a context to the database
     */
    public static ContextCustomizer ownedBy(Class<?> owner) {
        return new FreshDatabaseContextCustomizer(owner, DatabaseTemplate.Empty.class);
    }

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        FreshDatabase annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass, FreshDatabase.class);
        if (annotation == null) {
            return null;
        }
        Object owner = annotation.sharedAs().isEmpty() ? owner(testClass) : annotation.sharedAs();
        return new FreshDatabaseContextCustomizer(owner, annotation.template());
    }

    private static Class<?> owner(Class<?> testClass) {
        Class<?> owner = testClass;
        while (!AnnotatedElementUtils.hasAnnotation(owner, FreshDatabase.class) && owner.getEnclosingClass() != null) {
            owner = owner.getEnclosingClass();
        }
        return owner;
    }
}
