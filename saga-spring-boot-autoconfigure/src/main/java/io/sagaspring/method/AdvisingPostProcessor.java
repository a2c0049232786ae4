package io.sagaspring.method;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Creates a proxy for every bean that has an annotated method. At start-up, one exception reports all faults of all
 * beans. A bean that is created later reports only its own faults.
 *
 * @since 0.1.0
 */
public abstract class AdvisingPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {

    private static final long serialVersionUID = 1L;

    private final transient AdvisedMethods<?, ?> methods;
    private final int adviceOrder;
    private volatile boolean started;

    /**
     * Creates a post-processor for an annotation.
     *
     * @param methods the methods that have the annotation
     * @param advice the advice of these methods
     * @param adviceOrder the order of this advice among other advice
     * @param <M> the parsed annotation of a method
     */
    protected <M> AdvisingPostProcessor(AdvisedMethods<?, M> methods, MethodAdvice<M> advice, int adviceOrder) {
        this.methods = methods;
        this.adviceOrder = adviceOrder;
        this.beforeExistingAdvisors = true;
        DefaultPointcutAdvisor before = new DefaultPointcutAdvisor(methods, advice);
        before.setOrder(adviceOrder);
        this.advisor = before;
    }

    /**
     * Creates the exception that reports faults.
     *
     * @param faults the faults, at least one, each a sentence
     * @return the exception to throw
     */
    protected abstract MethodFaultsException refusal(List<String> faults);

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean || !isToBeAdvised(bean) || isAdvised(bean)) {
            return bean;
        }
        return bean instanceof Advised advised && !advised.isFrozen()
                ? advised(bean, advised)
                : super.postProcessAfterInitialization(bean, beanName);
    }

    private boolean isToBeAdvised(Object bean) {
        Set<Class<?>> types = types(bean);
        if (started) {
            refuse(types.stream().flatMap(each -> methods.faults(each).stream()).toList());
        }
        return types.stream().map(methods::hasAny).reduce(false, Boolean::logicalOr);
    }

    /** Returns the classes to read. A proxy, such as a repository, may have more interfaces than its target. */
    private static Set<Class<?>> types(Object bean) {
        Class<?> target = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
        Set<Class<?>> types = new LinkedHashSet<>(Set.of(target));
        if (AopUtils.isJdkDynamicProxy(bean)) {
            Arrays.stream(bean.getClass().getInterfaces())
                    .filter(each -> !each.isAssignableFrom(target))
                    .forEach(types::add);
        }
        return types;
    }

    private Object advised(Object bean, Advised advised) {
        advised.addAdvisor(position(advised.getAdvisors()), Objects.requireNonNull(advisor));
        return bean;
    }

    /**
     * Returns true if the bean already has this advice. The same object may be two beans, or a proxy may enclose
     * another proxy.
     */
    private boolean isAdvised(Object bean) {
        Object each = bean;
        while (each instanceof Advised advised) {
            if (advised.indexOf(Objects.requireNonNull(advisor)) >= 0) {
                return true;
            }
            each = AopProxyUtils.getSingletonTarget(each);
        }
        return false;
    }

    private int position(Advisor[] existing) {
        int position = existing.length;
        while (position > 0 && order(existing[position - 1]) >= adviceOrder) {
            position--;
        }
        return position;
    }

    private static int order(Advisor advisor) {
        return advisor instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        refuse(methods.allFaults());
    }

    private void refuse(List<String> faults) {
        if (!faults.isEmpty()) {
            throw refusal(faults);
        }
    }
}
