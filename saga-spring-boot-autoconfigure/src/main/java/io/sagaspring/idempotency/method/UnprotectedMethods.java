package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotent;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Says at the start, once, which methods are annotated {@link Idempotent} where there are no keys. */
public final class UnprotectedMethods implements SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(UnprotectedMethods.class);

    private final ConfigurableListableBeanFactory beans;
    private final String reason;

    /**
     * For an application without keys.
     *
     * @param beans of the application
     * @param reason why there are no keys
     */
    public UnprotectedMethods(ConfigurableListableBeanFactory beans, String reason) {
        this.beans = beans;
        this.reason = reason;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<String> names = Arrays.stream(beans.getBeanNamesForType(Object.class, true, false))
                .flatMap(this::userClass)
                .distinct()
                .flatMap(type -> AnnotatedMethods.of(type).keySet().stream()
                        .map(method -> type.getName() + "." + method.getName()))
                .sorted()
                .toList();
        if (!names.isEmpty()) {
            logger.warn(
                    "{}: these @Idempotent methods run each time they are called, also where they are required = true and there is no key: {}",
                    reason,
                    String.join(", ", names));
        }
    }

    private Stream<Class<?>> userClass(String bean) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
        return type == null ? Stream.empty() : Stream.of(ClassUtils.getUserClass(type));
    }
}
