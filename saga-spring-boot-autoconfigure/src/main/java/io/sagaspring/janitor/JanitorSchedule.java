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
 * Schedules the janitors. This class finds every janitor, including lazy janitors and the janitors of parent contexts,
 * and gives each janitor its sweep.
 *
 * <p>If the application has enabled scheduling, Spring schedules the janitors. Otherwise a registrar of the library
 * does. That registrar processes only the janitors, so that no other {@code @Scheduled} method of the application
 * begins to run.
 *
 * @since 0.1.0
 */
public final class JanitorSchedule implements SmartInitializingSingleton, DisposableBean {

    private static final Logger logger = LoggerFactory.getLogger(JanitorSchedule.class);

    private final ConfigurableListableBeanFactory beans;
    private final JanitorRegistry registry;
    private final TaskScheduler scheduler;
    private final Duration tick;
    private final Supplier<Map<String, ? extends ScheduledClaimJanitor>> defaultJanitors;
    private final Map<String, String> taskOfJanitor = new LinkedHashMap<>();
    private final ScheduledTaskRegistrar own = new ScheduledTaskRegistrar();

    /**
     * Creates a schedule without janitors.
     *
     * @param beans the bean factory with the janitors
     * @param registry the registry that gives each janitor its sweep
     * @param scheduler the scheduler, with a thread that only the janitors use
     * @param tick the time between two calls of {@link ScheduledClaimJanitor#sweep}; a call sweeps only if the
     *     janitor's interval ends before the next call
     * @param defaultJanitors the supplier of the default janitors, for the modules that request one in the properties;
     *     called after all other janitors are registered
     */
    public JanitorSchedule(
            ConfigurableListableBeanFactory beans,
            JanitorRegistry registry,
            TaskScheduler scheduler,
            Duration tick,
            Supplier<Map<String, ? extends ScheduledClaimJanitor>> defaultJanitors) {
        this.beans = beans;
        this.registry = registry;
        this.scheduler = scheduler;
        this.tick = tick;
        this.defaultJanitors = defaultJanitors;
    }

    /**
     * Registers and schedules the janitors, and requires that each declared claim state has one. This happens when all
     * singletons exist and before the web server starts.
     */
    @Override
    public void afterSingletonsInstantiated() {
        own.setTaskScheduler(scheduler);
        for (BeanFactory each = beans; each instanceof ListableBeanFactory factory; each = parent(each)) {
            for (String name : factory.getBeanNamesForAnnotation(ClaimJanitor.class)) {
                if (!ScopedProxyUtils.isScopedTarget(name)) {
                    register(factory, name);
                }
            }
        }
        defaultJanitors.get().forEach(this::scheduleOwn);
        own.afterPropertiesSet();
        registry.requireComplete();
    }

    /**
     * Requires that every janitor is scheduled. A janitor that never runs frees nothing.
     *
     * @throws io.sagaspring.startup.StartupFaultException if a janitor is not scheduled; the message names all janitors
     */
    public void requireNextExecutions() {
        long scheduled = scheduled();
        if (scheduled < taskOfJanitor.size()) {
            throw new UnusableJanitorsException(
                    "Not all janitors are scheduled (scheduled: %d), so entities would stay claimed after a crash. The janitors are: %s."
                            .formatted(scheduled, String.join(", ", taskOfJanitor.keySet())),
                    "Make sure that Spring's scheduling processes these beans. They may have been created too early, as a dependency of a bean post-processor.");
        }
    }

    /**
     * Begins the first sweeps of the home database without waiting for their interval, because the application may have
     * started after a crash.
     */
    public void sweepNow() {
        for (Sweep sweep : registry.sweeps()) {
            Future<?> unused = scheduler.schedule(() -> safely(sweep), Instant.now());
        }
    }

    @Override
    public void destroy() {
        own.destroy();
    }

    private void register(ListableBeanFactory factory, String name) {
        ClaimJanitor annotation = factory.findAnnotationOnBean(name, ClaimJanitor.class);
        Object bean = withoutProxies(factory.getBean(name));
        if (annotation == null || !(bean instanceof ScheduledClaimJanitor janitor)) {
            throw new UnusableJanitorsException(
                    "Bean '%s' of type %s is annotated @ClaimJanitor, but its class is not a janitor."
                            .formatted(name, bean.getClass().getName()),
                    "Make its class extend ScheduledClaimJanitor.");
        }
        registry.cover(annotation.module(), janitor);
        Method sweep = ClassUtils.getMostSpecificMethod(OwnSweep.METHOD, janitor.getClass());
        if (hasScheduling(factory) && isScheduled(sweep)) {
            taskOfJanitor.put(name, taskOf(sweep));
        } else {
            scheduleOwn(name, janitor);
        }
    }

    private void scheduleOwn(String name, ScheduledClaimJanitor janitor) {
        taskOfJanitor.put(name, OwnSweep.NAME);
        own.addFixedDelayTask(new FixedDelayTask(new OwnSweep(janitor), tick, tick));
    }

    /**
     * Returns true if Spring schedules the method. A method that overrides {@code sweep} does not inherit the
     * annotation {@code @Scheduled}.
     */
    private static boolean isScheduled(Method sweep) {
        return !AnnotatedElementUtils.getMergedRepeatableAnnotations(sweep, Scheduled.class, Schedules.class)
                .isEmpty();
    }

    /** Returns the name that Spring gives to the task of a method. */
    private static String taskOf(Method sweep) {
        return sweep.getDeclaringClass().getName() + "." + sweep.getName();
    }

    /**
     * Returns the object behind the proxies, or the bean itself if there are none. That object holds the janitor's
     * state: a class-based proxy has its own copies of the fields, which are never set.
     */
    private static Object withoutProxies(Object bean) {
        Object target =
                bean instanceof ScopedObject scoped ? scoped.getTargetObject() : AopProxyUtils.getSingletonTarget(bean);
        return target == null ? bean : withoutProxies(target);
    }

    private static boolean hasScheduling(BeanFactory factory) {
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

    /**
     * Counts the janitors that are scheduled. A task does not reveal its bean, so the tasks are counted by method name.
     */
    private long scheduled() {
        List<String> tasks = tasks().filter(JanitorSchedule::isToRun)
                .map(ScheduledTask::toString)
                .collect(Collectors.toCollection(ArrayList::new));
        return taskOfJanitor.values().stream().filter(tasks::remove).count();
    }

    /**
     * Returns true if the task has no trigger, or its trigger has a next execution. The next execution of the task
     * itself is not known while the task runs or waits for its thread. The first sweep after a crash may occupy that
     * thread for a long time.
     */
    private static boolean isToRun(ScheduledTask task) {
        return !(task.getTask() instanceof TriggerTask timed)
                || timed.getTrigger().nextExecution(new SimpleTriggerContext()) != null;
    }

    /** A task of the library's own registrar. The task has the name that Spring gives to the annotated method. */
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
            sweep.runIfDue();
        } catch (RuntimeException | Error failed) {
            logger.error(
                    "The first sweep of module '{}' failed. The next sweep will try again", sweep.module(), failed);
        }
    }
}
