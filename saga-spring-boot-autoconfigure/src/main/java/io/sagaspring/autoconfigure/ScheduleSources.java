package io.sagaspring.autoconfigure;

import io.sagaspring.schedule.RunSchedule;
import io.sagaspring.schedule.RunSchedules;
import io.sagaspring.schedule.ScheduleSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** The sources of an application's schedules: the annotated beans, and the properties. */
record ScheduleSources(Map<String, Of> byName, Environment environment, ListableBeanFactory beans)
        implements ScheduleSettings {

    @Override
    public String resolve(String text) {
        return environment.resolveRequiredPlaceholders(text);
    }

    /**
     * Describes the place of a property, such as a file and a line. If the property is not set, describes the place of
     * the first property below it.
     */
    @Override
    public String origin(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
        if (name == null) {
            return "";
        }
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            Optional<ConfigurationPropertyName> set = source.getConfigurationProperty(name) != null
                    ? Optional.of(name)
                    : source instanceof IterableConfigurationPropertySource listed
                            ? listed.stream().filter(name::isAncestorOf).findFirst()
                            : Optional.empty();
            ConfigurationProperty found =
                    set.map(source::getConfigurationProperty).orElse(null);
            if (found != null) {
                return found.getOrigin() == null ? "" : " (%s)".formatted(found.getOrigin());
            }
        }
        return "";
    }

    @Override
    public List<Class<?>> annotated() {
        return Stream.of(RunSchedule.class, RunSchedules.class)
                .flatMap(annotation -> Stream.of(beans.getBeanNamesForAnnotation(annotation)))
                .distinct()
                .<Class<?>>map(name -> AopProxyUtils.ultimateTargetClass(beans.getBean(name)))
                .toList();
    }
}
