package io.sagaspring.janitor;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.config.FixedDelayTask;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.scheduling.config.TriggerTask;
import org.springframework.scheduling.support.SimpleTriggerContext;
import org.springframework.util.ClassUtils;

/**
 * Finds every janitor, also lazy ones and those of parent contexts, gives each its sweep, and sees to it that it is
 * scheduled: by the application's own scheduling where that is enabled, else by a registrar of ours that knows nothing but
 * the janitors, so that nothing dormant in the application is woken.
 *
 * @since 0.1.0
 */
public final class JanitorSchedule implements SmartInitializingSingleton, DisposableBean {

    private static final Logger logger = LoggerFactory.getLogger(JanitorSchedule.class);

    private final ConfigurableListableBeanFactory beans;
    private final JanitorRegistry coverage;
    private final TaskScheduler scheduler;
    private final Duration tick;
    private final Supplier<Map<String, ? extends ScheduledClaimJanitor>> withoutClass;
    private final Map<String, String> taskOfJanitor = new LinkedHashMap<>();
    private final ScheduledTaskRegistrar own = new ScheduledTaskRegistrar();

    /**
     * Creates a schedule without janitors.
     *
     * @param beans has the janitors
     * @param coverage gives each its sweep
     * @param scheduler has a thread that nobody else uses
     * @param tick the time between two chances to sweep
     * @param withoutClass covers the modules that ask for a janitor in the properties, after those that have one
     */
    public JanitorSchedule(
            ConfigurableListableBeanFactory beans,
            JanitorRegistry coverage,
            TaskScheduler scheduler,
            Duration tick,
            Supplier<Map<String, ? extends ScheduledClaimJanitor>> withoutClass) {
        this.beans = beans;
        this.coverage = coverage;
        this.scheduler = scheduler;
        this.tick = tick;
        this.withoutClass = withoutClass;
    }

    /** All singletons exist, and the web server has not started yet. */
    @Override
    public void afterSingletonsInstantiated() {
        own.setTaskScheduler(scheduler);
        for (BeanFactory each = beans; each instanceof ListableBeanFactory factory; each = parent(each)) {
            for (String name : factory.getBeanNamesForAnnotation(ClaimJanitor.class)) {
                if (!ScopedProxyUtils.isScopedTarget(name)) {
                    take(factory, name);
                }
            }
        }
        withoutClass.get().forEach(this::sweepByOurselves);
        own.afterPropertiesSet();
        coverage.requireComplete();
    }

    /**
     * Refuses janitors that never run: they cover nothing.
     *
     * @throws io.sagaspring.startup.StartupFaultException naming all janitors, if one of them is not scheduled
     */
    public void requireNextExecutions() {
        long scheduled = scheduled();
        if (scheduled < taskOfJanitor.size()) {
            throw new UnusableJanitorsException(
                    "Only %d of these janitors are scheduled, so nothing would free what a crash leaves behind: %s."
                            .formatted(scheduled, String.join(", ", taskOfJanitor.keySet())),
                    "See to it that Spring's scheduling processes these beans: they may have been created too early, as a dependency of a bean post-processor.");
        }
    }

    /** Begins the first sweeps, without waiting for their interval: this start may be the one after a crash. */
    public void sweepNow() {
        for (Sweep sweep : coverage.sweeps()) {
            Future<?> unused = scheduler.schedule(() -> safely(sweep), Instant.now());
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
            throw new UnusableJanitorsException(
                    "Bean '%s' of type %s is annotated @ClaimJanitor and can free nothing."
                            .formatted(name, bean.getClass().getName()),
                    "Let its class extend ScheduledClaimJanitor.");
        }
        coverage.cover(annotation.module(), janitor);
        Method sweep = ClassUtils.getMostSpecificMethod(OwnSweep.METHOD, janitor.getClass());
        if (schedulesItsOwn(factory) && isScheduled(sweep)) {
            taskOfJanitor.put(name, taskOf(sweep));
        } else {
            sweepByOurselves(name, janitor);
        }
    }

    private void sweepByOurselves(String name, ScheduledClaimJanitor janitor) {
        taskOfJanitor.put(name, OwnSweep.NAME);
        own.addFixedDelayTask(new FixedDelayTask(new OwnSweep(janitor), tick, tick));
    }

    /** Who overrides the sweep has overridden its annotation, too: Spring would not see it any more. */
    private static boolean isScheduled(Method sweep) {
        return !AnnotatedElementUtils.getMergedRepeatableAnnotations(sweep, Scheduled.class, Schedules.class)
                .isEmpty();
    }

    /** As Spring names the task of a method. */
    private static String taskOf(Method sweep) {
        return sweep.getDeclaringClass().getName() + "." + sweep.getName();
    }

    /** The sweep's own state lies in the target: a proxy made of its class has fields of its own, all empty. */
    private static Object withoutProxies(Object bean) {
        Object target =
                bean instanceof ScopedObject scoped ? scoped.getTargetObject() : AopProxyUtils.getSingletonTarget(bean);
        return target == null ? bean : withoutProxies(target);
    }

    private static boolean schedulesItsOwn(BeanFactory factory) {
        return factory instanceof HierarchicalBeanFactory local
                && local.containsLocalBean(TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME);
    }

    private static @Nullable BeanFactory parent(BeanFactory factory) {
        return factory instanceof HierarchicalBeanFactory child ? child.getParentBeanFactory() : null;
    }

    Stream<ScheduledTask> tasks() {
        return Stream.concat(
                        BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, ScheduledTaskHolder.class)
                                .values()
                                .stream(),
                        Stream.of(own))
                .flatMap(holder -> holder.getScheduledTasks().stream());
    }

    /** A task does not tell its bean, but it tells its method. */
    private long scheduled() {
        List<String> tasks = tasks().filter(JanitorSchedule::isToRun)
                .map(ScheduledTask::toString)
                .collect(Collectors.toCollection(ArrayList::new));
        return taskOfJanitor.values().stream().filter(tasks::remove).count();
    }

    /**
     * Tells whether a task's timing has it run. The task's next execution does not tell: it is unknown while the task is executed
     * or waits for its thread, and the first sweep after a crash may occupy that thread for long.
     */
    private static boolean isToRun(ScheduledTask task) {
        return !(task.getTask() instanceof TriggerTask timed)
                || timed.getTrigger().nextExecution(new SimpleTriggerContext()) != null;
    }

    /** Bears the name that Spring gives to the annotated method. */
    private record OwnSweep(ScheduledClaimJanitor janitor) implements Runnable {

        private static final Method METHOD = ClassUtils.getMethod(ScheduledClaimJanitor.class, "sweep");
        private static final String NAME = taskOf(METHOD);

        @Override
        public void run() {
            janitor.sweep();
        }

        @Override
        public String toString() {
            return NAME;
        }
    }

    private static void safely(Sweep sweep) {
        try {
            sweep.runIfTime();
        } catch (RuntimeException | Error failed) {
            logger.error("The first sweep of module '{}' failed; the next one will try again", sweep.module(), failed);
        }
    }
}
