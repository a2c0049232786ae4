package io.sagaspring.autoconfigure;

import io.sagaspring.schedule.RunSchedule;
import io.sagaspring.schedule.RunSchedules;
import io.sagaspring.schedule.ScheduleSettings;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/** The sources of an application's schedules: the annotated beans, and the properties. */
record ScheduleSources(Map<String, Of> byName, Environment environment, ListableBeanFactory beans)
        implements ScheduleSettings {

    @Override
    public String resolve(String text) {
        return environment.resolveRequiredPlaceholders(text);
    }

    @Override
    public String origin(String property) {
        return new PropertyOrigins(environment).of(property);
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
