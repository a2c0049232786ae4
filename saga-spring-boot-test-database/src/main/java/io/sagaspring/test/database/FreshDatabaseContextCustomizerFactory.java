package io.sagaspring.test.database;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Finds {@link FreshDatabase} on a test class, or on the class around a {@code @Nested} one. */
final class FreshDatabaseContextCustomizerFactory implements ContextCustomizerFactory {

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
