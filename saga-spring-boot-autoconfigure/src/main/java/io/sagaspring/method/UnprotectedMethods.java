package io.sagaspring.method;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Logs a warning at start-up that names the methods whose annotation has no effect in this application.
 *
 * @since 0.1.0
 */
public final class UnprotectedMethods implements SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(UnprotectedMethods.class);

    private final ConfigurableListableBeanFactory beans;
    private final AnnotatedMethods<?> annotated;
    private final String reason;
    private final String consequence;

    /**
     * Creates the warning for one annotation.
     *
     * @param beans the beans of the application
     * @param annotation the annotation
     * @param reason the reason why the annotation has no effect
     * @param consequence the effect on the methods, as a predicate such as "run without protection"
     */
    public UnprotectedMethods(
            ConfigurableListableBeanFactory beans,
            Class<? extends Annotation> annotation,
            String reason,
            String consequence) {
        this.beans = beans;
        this.annotated = new AnnotatedMethods<>(annotation);
        this.reason = reason;
        this.consequence = consequence;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> names = Arrays.stream(beans.getBeanNamesForType(Object.class, true, false))
                .flatMap(this::userClass)
                .distinct()
                .flatMap(type ->
                        annotated.of(type).keySet().stream().map(method -> type.getName() + "." + method.getName()))
                .sorted()
                .toList();
        if (!names.isEmpty()) {
            logger.warn(
                    "{}: these @{} methods {}: {}",
                    reason,
                    annotated.annotation().getSimpleName(),
                    consequence,
                    String.join(", ", names));
        }
    }

    private Stream<Class<?>> userClass(String bean) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
        return type == null ? Stream.empty() : Stream.of(ClassUtils.getUserClass(type));
    }
}
