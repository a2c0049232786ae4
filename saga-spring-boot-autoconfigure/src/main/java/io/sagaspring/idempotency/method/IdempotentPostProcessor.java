package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
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
 * Puts a proxy before every bean that has a method annotated {@link Idempotent}. All faults of all beans stop the start
 * together; those of a bean that is made later stop that bean, and no other.
 */
public final class IdempotentPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {

    /**
     * Where it stands: behind the method security of Spring Security, whose advice has orders of 100 to 600, so that nobody
     * is replayed what he may not ask for; before transactions, retries and caches, which have none and come last, so that
     * its claim is committed before they begin.
     */
    static final int ORDER = 1000;

    private static final long serialVersionUID = 1L;

    private final transient ProtectedMethods methods;
    private volatile boolean started;

    /**
     * A post-processor for a context.
     *
     * @param surroundings the application
     */
    public IdempotentPostProcessor(Surroundings surroundings) {
        this.methods = new ProtectedMethods(surroundings);
        setBeforeExistingAdvisors(true);
        DefaultPointcutAdvisor before =
                new DefaultPointcutAdvisor(methods, new IdempotentInterceptor(methods, surroundings));
        before.setOrder(ORDER);
        this.advisor = before;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean || !isToBeProtected(bean) || isProtected(bean)) {
            return bean;
        }
        return bean instanceof Advised advised && !advised.isFrozen()
                ? advised(bean, advised)
                : super.postProcessAfterInitialization(bean, beanName);
    }

    private boolean isToBeProtected(Object bean) {
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
    private boolean isProtected(Object bean) {
        Object each = bean;
        while (each instanceof Advised advised) {
            if (advised.indexOf(Objects.requireNonNull(advisor)) >= 0) {
                return true;
            }
            each = AopProxyUtils.getSingletonTarget(each);
        }
        return false;
    }

    private static int place(Advisor[] standing) {
        int place = standing.length;
        while (place > 0 && order(standing[place - 1]) >= ORDER) {
            place--;
        }
        return place;
    }

    private static int order(Advisor advisor) {
        return advisor instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        refuse(methods.allFaults());
    }

    private static void refuse(List<String> faults) {
        if (!faults.isEmpty()) {
            throw new IdempotentFaultsException(
                    faults.stream().distinct().sorted().toList());
        }
    }
}
