package io.sagaspring.listener;

import io.sagaspring.fence.DurationText;
import io.sagaspring.listener.ListenerMethod.Delivering;
import io.sagaspring.listener.ListenerSettings.Of;
import io.sagaspring.method.Arguments.Parameter;
import io.sagaspring.method.MethodExpression;
import io.sagaspring.method.MethodReading;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.Retry;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.retry.RetryPolicy;

/** Reads one listener from its annotation and its properties, and collects the faults of both. */
final class ListenerReading {

    private static final Pattern ID = Pattern.compile("[\\w.$-]{1,200}");

    /**
     * The most attempts of a delivery. A retry policy that allows more is limited to this number, so that each delivery
     * ends.
     */
    private static final int MOST_ATTEMPTS = 10_000;

    private final BeanFactory beans;
    private final PayloadCodec codec;
    private final ListenerSettings settings;
    private final String bean;
    private final @Nullable Class<?> exposed;
    private final MethodReading reading;
    private final DurableListener annotation;

    /**
     * The bean of a listener.
     *
     * @param bean the name of the bean
     * @param exposed the class of the bean object, which may be a proxy, or null if it is not known
     */
    record Place(String bean, @Nullable Class<?> exposed) {}

    ListenerReading(
            BeanFactory beans,
            PayloadCodec codec,
            ListenerSettings settings,
            Place place,
            MethodReading reading,
            DurableListener annotation) {
        this.beans = beans;
        this.codec = codec;
        this.settings = settings;
        this.bean = place.bean();
        this.exposed = place.exposed();
        this.reading = reading;
        this.annotation = annotation;
    }

    String id() {
        return annotation.id().isEmpty() ? reading.name() : annotation.id();
    }

    /** Returns the listener, or null if it has faults. */
    @Nullable
    ListenerMethod listener() {
        if (!ID.matcher(id()).matches()) {
            reading.fault(
                    "has the id '%s', which is not valid. Write 1 to 200 letters, digits, dots, dashes and underscores."
                            .formatted(id()));
        }
        requireCallable();
        int index = eventIndex();
        Class<?> event = index < 0 ? null : event(reading.parameters().get(index));
        ListenerMethod.Key key = index < 0 ? null : key(index);
        Delivering delivering = delivering();
        return event == null || delivering == null || !reading.faults().isEmpty()
                ? null
                : new ListenerMethod(id(), bean, reading.method(), event, reading.parameters(), index, key, delivering);
    }

    private void requireCallable() {
        int modifiers = reading.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            reading.fault(
                    "is private, static or final, so it cannot be called on a bean that has a proxy. Make it an instance method that can be overridden.");
        } else if (exposed != null) {
            requireOn(exposed);
        }
        if (reading.find(EventListener.class) != null) {
            reading.fault(
                    "is also an @EventListener, so each event would reach it twice. Remove one of the two annotations.");
        }
        boolean unused = reading.refuseAsync("the delivery would end")
                || reading.refuseAsyncResult("the delivery would end before the work is done");
    }

    private void requireOn(Class<?> type) {
        try {
            var unused = AopUtils.selectInvocableMethod(reading.method(), type);
        } catch (IllegalStateException hidden) {
            reading.fault(
                    "is not in an interface of the bean '%s', but the bean's proxy implements only these interfaces. Add the method to an interface, or set spring.aop.proxy-target-class=true."
                            .formatted(bean));
        }
    }

    /** Returns the index of the parameter for the event, or a negative number after a fault. */
    private int eventIndex() {
        List<Integer> events = new ArrayList<>();
        List<Parameter> parameters = reading.parameters();
        for (int each = 0; each < parameters.size(); each++) {
            if (parameters.get(each).type() != Delivery.class) {
                events.add(each);
            }
        }
        if (events.size() != 1 || parameters.size() > 2) {
            reading.fault("has the parameters %s. Declare one for the event, and at most one of type Delivery."
                    .formatted(parameters.stream()
                            .map(each -> each.type().getTypeName())
                            .toList()));
            return -1;
        }
        return events.get(0);
    }

    private @Nullable Class<?> event(Parameter parameter) {
        Class<?> type = ResolvableType.forType(parameter.type()).resolve(Object.class);
        String name = parameter.type().getTypeName();
        if (type == Object.class || type.isPrimitive()) {
            reading.fault("has the event type %s, which tells nothing about the event. Declare the class of the events."
                    .formatted(name));
            return null;
        }
        if (ApplicationEvent.class.isAssignableFrom(type)) {
            reading.fault(
                    "has the event type %s, which is an ApplicationEvent and cannot be stored. Publish an object of a class of your own."
                            .formatted(name));
            return null;
        }
        if (!(parameter.type() instanceof Class<?>) || type.getTypeParameters().length > 0) {
            reading.fault(
                    "has the event type %s, but an event does not carry its type arguments. Declare a class without type parameters."
                            .formatted(name));
            return null;
        }
        String why = codec.whyUnreadable(type);
        if (why != null) {
            reading.fault("has the event type %s, which could not be read back. %s".formatted(name, why));
            return null;
        }
        return type;
    }

    private ListenerMethod.@Nullable Key key(int index) {
        String text = annotation.key();
        if (text.isBlank()) {
            return null;
        }
        Set<String> variables = new TreeSet<>(Set.of("p" + index));
        String name = reading.parameters().get(index).name();
        if (name != null) {
            variables.add(name);
        }
        MethodExpression expression = reading.expression("key", text, variables);
        return expression == null ? null : new ListenerMethod.Key(text, expression);
    }

    private @Nullable Delivering delivering() {
        Of own = settings.byId().getOrDefault(id(), Of.NONE);
        int concurrency = own.concurrency() == null ? settings.concurrency() : own.concurrency();
        if (concurrency < 1) {
            reading.fault("has the property %s%s.concurrency=%d%s, but at least 1 is needed. Increase it."
                    .formatted(ListenerSettings.PROPERTIES, id(), concurrency, origin("concurrency")));
            return null;
        }
        if (annotation.transactional() && !settings.hasTransactions()) {
            reading.fault(
                    "is transactional, but its deliveries are not stored in a database whose transactions it could join. Remove transactional = true, or store deliveries in the library's tables on PostgreSQL.");
        }
        Retry retry = annotation.retry().isEmpty() ? standard(own) : ofBean(own);
        return retry == null
                ? null
                : new Delivering(
                        retry,
                        attempts(retry),
                        concurrency,
                        !Boolean.FALSE.equals(own.enabled()),
                        annotation.transactional());
    }

    private String origin(String property) {
        return settings.origin().apply(ListenerSettings.PROPERTIES + id() + "." + property);
    }

    private @Nullable Retry standard(Of own) {
        Integer configured = own.attempts();
        int attempts = configured == null ? annotation.attempts() : configured;
        if (attempts < 1) {
            reading.fault("allows %d attempts (%s), but at least 1 is needed. Increase the number."
                    .formatted(
                            attempts,
                            configured == null
                                    ? "attempts = " + attempts
                                    : ListenerSettings.PROPERTIES + id() + ".attempts" + origin("attempts")));
            return null;
        }
        Retry retry = Retry.retry()
                .max(attempts)
                .exponential(own.delay() == null ? settings.delay() : own.delay())
                .maxDelay(own.maxDelay() == null ? settings.maxDelay() : own.maxDelay())
                .jitter();
        List<String> faults = retry.faults().toList();
        faults.forEach(fault -> reading.fault(
                "has a retry policy that %s. Correct its delay and max-delay%s.".formatted(fault, origin("delay"))));
        return faults.isEmpty() ? retry : null;
    }

    private @Nullable Retry ofBean(Of own) {
        String name = annotation.retry();
        if (own.attempts() != null || own.delay() != null || own.maxDelay() != null) {
            reading.fault(
                    "has the retry policy of the bean '%s', so the properties %s%s.* for attempts and pauses have no effect%s. Remove them, or remove retry from the annotation."
                            .formatted(name, ListenerSettings.PROPERTIES, id(), origin("attempts")));
            return null;
        }
        Object policy = beans.containsBean(name) ? beans.getBean(name) : null;
        Retry retry = policy instanceof Retry ours
                ? ours
                : policy instanceof RetryPolicy spring ? ofSpring(name, spring) : null;
        if (retry == null && reading.faults().isEmpty()) {
            reading.fault(
                    "has retry = \"%s\", but there is no bean of that name whose type is Retry or RetryPolicy. Declare one, or correct the name."
                            .formatted(name));
        }
        if (retry != null) {
            retry.faults()
                    .forEach(fault -> reading.fault(
                            "has the retry policy '%s', which %s. Correct the policy.".formatted(name, fault)));
        }
        return retry;
    }

    private @Nullable Retry ofSpring(String name, RetryPolicy policy) {
        try {
            return Retry.of(policy);
        } catch (IllegalArgumentException refused) {
            reading.fault("has the retry policy '%s', which cannot be used. %s"
                    .formatted(
                            name,
                            "Its timeout of %s bounds all attempts together. Remove the timeout."
                                    .formatted(DurationText.of(policy.getTimeout()))));
            return null;
        }
    }

    private static int attempts(Retry retry) {
        int attempts = 1;
        while (attempts < MOST_ATTEMPTS && retry.allowsAfter(attempts)) {
            attempts++;
        }
        return attempts;
    }
}
