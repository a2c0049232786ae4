package io.sagaspring.test.saga;

import io.sagaspring.test.database.FreshDatabase;
import io.sagaspring.test.database.FreshDatabaseContextCustomizerFactory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Builds the context of a {@link SagaTest} from the annotation, without searching for an application class. */
final class SagaTestContextBootstrapper extends SpringBootTestContextBootstrapper {

    @Override
    protected Class<?>[] getOrFindConfigurationClasses(MergedContextConfiguration configuration) {
        SagaTest test = annotation(configuration.getTestClass());
        Set<Class<?>> classes = new LinkedHashSet<>();
        classes.add(
                test.store() == SagaTest.Store.MEMORY ? InMemoryConfiguration.class : InDatabaseConfiguration.class);
        classes.addAll(List.of(test.sagas()));
        classes.addAll(List.of(test.runs()));
        classes.addAll(List.of(test.classes()));
        classes.addAll(List.of(configuration.getClasses()));
        return classes.toArray(Class<?>[]::new);
    }

    private static SagaTest annotation(Class<?> testClass) {
        return Objects.requireNonNull(
                TestContextAnnotationUtils.findMergedAnnotation(testClass, SagaTest.class), "No @SagaTest");
    }

    @Override
    protected String[] getProperties(Class<?> testClass) {
        return Stream.concat(
                        Stream.of("spring.main.web-application-type=none"),
                        Stream.of(annotation(testClass).properties()))
                .toArray(String[]::new);
    }

    @Override
    protected List<ContextCustomizerFactory> getContextCustomizerFactories() {
        List<ContextCustomizerFactory> factories = new ArrayList<>(super.getContextCustomizerFactories());
        factories.add((testClass, attributes) -> {
            boolean isMissing = annotation(testClass).store() == SagaTest.Store.DATABASE
                    && !TestContextAnnotationUtils.hasAnnotation(testClass, FreshDatabase.class);
            return isMissing ? FreshDatabaseContextCustomizerFactory.ownedBy(owner(testClass)) : null;
        });
        return factories;
    }

    /**
     * Returns the outermost class with the annotation. Nested classes share its context, and therefore its database.
     */
    private static Class<?> owner(Class<?> testClass) {
        Class<?> owner = testClass;
        while (!AnnotatedElementUtils.hasAnnotation(owner, SagaTest.class) && owner.getEnclosingClass() != null) {
            owner = owner.getEnclosingClass();
        }
        return owner;
    }
}
