package io.sagaspring.autoconfigure;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.Coverage;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * Finds every janitor, also lazy ones and those of parent contexts, gives each its sweep, and sees to it that it is
 * scheduled: by the application's own scheduling where that is enabled, else by one of ours that knows nothing but the
 * janitors, so that no dormant {@code @Scheduled} method of the application is woken.
 */
final class JanitorSchedule implements SmartInitializingSingleton, DisposableBean {

    private final ConfigurableListableBeanFactory beans;
    private final Coverage coverage;
    private final Map<String, ScheduledClaimJanitor> janitors = new LinkedHashMap<>();
    private final ScheduledAnnotationBeanPostProcessor own = new ScheduledAnnotationBeanPostProcessor();

    JanitorSchedule(ConfigurableListableBeanFactory beans, Coverage coverage) {
        this.beans = beans;
        this.coverage = coverage;
    }

    /** All singletons exist, and the web server has not started yet. */
    @Override
    public void afterSingletonsInstantiated() {
        own.setBeanFactory(beans);
        own.setEmbeddedValueResolver(new EmbeddedValueResolver(beans));
        for (BeanFactory each = beans; each instanceof ListableBeanFactory factory; each = parent(each)) {
            for (String name : factory.getBeanNamesForAnnotation(ClaimJanitor.class)) {
                take(factory, name);
            }
        }
        own.afterSingletonsInstantiated();
        coverage.requireComplete();
    }

    /** A janitor that never runs covers nothing. */
    void requireNextExecutions() {
        List<String> asleep = janitors.entrySet().stream()
                .filter(each -> tasks().noneMatch(task -> runs(task, each.getValue()) && task.nextExecution() != null))
                .map(Map.Entry::getKey)
                .toList();
        if (!asleep.isEmpty()) {
            throw new FailureAnalyzedException(
                    "These janitors are not scheduled, so nothing would free what a crash leaves behind: %s."
                            .formatted(String.join(", ", asleep)),
                    "See to it that Spring's scheduling processes these beans: they may have been created too early, as a dependency of a bean post-processor.");
        }
    }

    @Override
    public void destroy() {
        own.destroy();
    }

    private void take(ListableBeanFactory factory, String name) {
        ClaimJanitor annotation = factory.findAnnotationOnBean(name, ClaimJanitor.class);
        Object bean = withoutProxies(factory.getBean(name));
        if (annotation == null || !(bean instanceof ScheduledClaimJanitor janitor)) {
            throw new FailureAnalyzedException(
                    "Bean '%s' of type %s is annotated @ClaimJanitor and can free nothing."
                            .formatted(name, bean.getClass().getName()),
                    "Let its class extend ScheduledClaimJanitor.");
        }
        coverage.cover(annotation.module(), janitor);
        janitors.put(name, janitor);
        if (!schedulesItsOwn(factory)) {
            own.postProcessAfterInitialization(janitor, name);
        }
    }

    /** The sweep's own state lies in the target: a proxy made of its class has fields of its own, all empty. */
    private static Object withoutProxies(Object bean) {
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return target == null ? bean : withoutProxies(target);
    }

    private static boolean schedulesItsOwn(BeanFactory factory) {
        return factory instanceof HierarchicalBeanFactory local
                && local.containsLocalBean(TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME);
    }

    private static @Nullable BeanFactory parent(BeanFactory factory) {
        return factory instanceof HierarchicalBeanFactory child ? child.getParentBeanFactory() : null;
    }

    private Stream<ScheduledTask> tasks() {
        return Stream.concat(
                        BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, ScheduledTaskHolder.class)
                                .values()
                                .stream(),
                        Stream.of(own))
                .flatMap(holder -> holder.getScheduledTasks().stream());
    }

    private static boolean runs(ScheduledTask task, ScheduledClaimJanitor janitor) {
        return task.getTask().getRunnable() instanceof ScheduledMethodRunnable method
                && withoutProxies(method.getTarget()) == janitor;
    }
}
