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
 * Puts a proxy before every bean that has an annotated method. All faults of all beans stop the start together; those of a
 * bean that is made later stop that bean, and no other.
 *
 * @since 0.1.0
 */
public abstract class AdvisingPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {

    private static final long serialVersionUID = 1L;

    private final transient AdvisedMethods<?, ?> methods;
    private final int place;
    private volatile boolean started;

    /**
     * A post-processor for an annotation.
     *
     * @param methods those that bear it
     * @param advice what stands before them
     * @param place the order of the advice among others
     * @param <M> what is known of a method
     */
    protected <M> AdvisingPostProcessor(AdvisedMethods<?, M> methods, MethodAdvice<M> advice, int place) {
        this.methods = methods;
        this.place = place;
        this.beforeExistingAdvisors = true;
        DefaultPointcutAdvisor before = new DefaultPointcutAdvisor(methods, advice);
        before.setOrder(place);
        this.advisor = before;
    }

    /**
     * Refuses to go on.
     *
     * @param faults sentences, at least one
     * @return what is thrown
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

    /** A proxy may have more interfaces than what stands behind it, as that of a repository has. */
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
        advised.addAdvisor(place(advised.getAdvisors()), Objects.requireNonNull(advisor));
        return bean;
    }

    /** The same object may be two beans, and have got a proxy for each. */
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

    private int place(Advisor[] standing) {
        int at = standing.length;
        while (at > 0 && order(standing[at - 1]) >= place) {
            at--;
        }
        return at;
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
