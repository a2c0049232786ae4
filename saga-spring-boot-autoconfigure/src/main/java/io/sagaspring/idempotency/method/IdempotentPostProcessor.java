package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.payload.PayloadCodec;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * Puts a proxy before every bean that has a method annotated {@link Idempotent}, in front of what stands there already. All
 * faults of all beans stop the start together; those of a bean that is made later stop that bean.
 */
public final class IdempotentPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton {

    private static final long serialVersionUID = 1L;

    private final transient Predicate<Method> isHandler;
    private final transient MethodReader reader;
    private final transient Map<Method, IdempotentMethod> methods = new ConcurrentHashMap<>();
    private transient @Nullable BeanFactory beans;
    private boolean started;

    /**
     * A post-processor for a context.
     *
     * @param isHandler whether a method handles web requests, and is protected there
     * @param placeholders resolves what annotations write as {@code ${…}}
     */
    public IdempotentPostProcessor(Predicate<Method> isHandler, UnaryOperator<String> placeholders) {
        this.isHandler = isHandler;
        this.reader = new MethodReader(placeholders);
        setBeforeExistingAdvisors(true);
        this.advisor = new DefaultPointcutAdvisor(
                // As methods are read: the annotation may stand where a method is declared first.
                new AnnotationMatchingPointcut(null, Idempotent.class, true),
                new IdempotentInterceptor(methods, this::tools));
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        beans = beanFactory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        return read(AopUtils.getTargetClass(bean)) ? super.postProcessAfterInitialization(bean, beanName) : bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        refuseFaults();
    }

    /** Whether there is anything to protect. */
    private boolean read(Class<?> type) {
        Class<?> target = ClassUtils.getUserClass(type);
        Set<Method> found = MethodIntrospector.selectMethods(target, this::isToBeProtected);
        for (Method method : found) {
            IdempotentMethod read = reader.read(method, target, annotation(method));
            if (read != null) {
                methods.put(method, read);
            }
        }
        if (started) {
            refuseFaults();
        }
        return !found.isEmpty();
    }

    private boolean isToBeProtected(Method method) {
        return !isHandler.test(method) && AnnotatedElementUtils.hasAnnotation(method, Idempotent.class);
    }

    private static Idempotent annotation(Method method) {
        return Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class));
    }

    private void refuseFaults() {
        if (!reader.faults().isEmpty()) {
            throw new IdempotentFaultsException(reader.faults());
        }
    }

    private IdempotentInterceptor.Tools tools() {
        BeanFactory from = Objects.requireNonNull(beans);
        return new IdempotentInterceptor.Tools(
                from.getBean(Idempotency.class), from.getBean(OwnerResolver.class), from.getBean(PayloadCodec.class));
    }
}
