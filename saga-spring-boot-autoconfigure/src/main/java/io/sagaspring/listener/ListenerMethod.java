package io.sagaspring.listener;

import io.sagaspring.method.Arguments;
import io.sagaspring.method.Arguments.Parameter;
import io.sagaspring.method.MethodExpression;
import io.sagaspring.run.Retry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeanUtils;
import org.springframework.expression.EvaluationException;
import org.springframework.util.ReflectionUtils;

/**
 * A method that is a durable listener.
 *
 * @param id the id of the listener
 * @param bean the name of the bean that has the method
 * @param method the method
 * @param event the class of its events
 * @param parameters the parameters of the method
 * @param eventIndex the index of the parameter for the event
 * @param key the expression for the key
 * @param delivering the settings for its deliveries
 */
record ListenerMethod(
        String id,
        String bean,
        Method method,
        Class<?> event,
        List<Parameter> parameters,
        int eventIndex,
        @Nullable Key key,
        Delivering delivering) {

    private static final int LONGEST_KEY = 500;

    /** The expression for the key, with its text. */
    record Key(String text, MethodExpression expression) {}

    /**
     * The settings for the deliveries to a listener.
     *
     * @param retry the policy that decides about further attempts
     * @param attempts the number of attempts before a delivery is parked, including attempts that end without a result
     * @param concurrency the number of deliveries that a node executes at the same time
     * @param enabled false if this node only stores events for the listener
     * @param isTransactional true if the listener's transaction also ends the delivery
     */
    record Delivering(Retry retry, int attempts, int concurrency, boolean enabled, boolean isTransactional) {}

    /** Returns the key of an event, or null if the order does not matter. */
    @Nullable
    String keyOf(Object published) {
        if (key == null) {
            return null;
        }
        Object[] values = new Object[parameters.size()];
        values[eventIndex] = published;
        Map<String, @Nullable Object> variables =
                new Arguments(parameters, Collections.unmodifiableList(Arrays.asList(values))).variables();
        Object value;
        try {
            value = key.expression().evaluate(variables);
        } catch (EvaluationException failed) {
            throw refused(failed.getMessage(), failed);
        }
        if (value == null || !BeanUtils.isSimpleValueType(value.getClass())) {
            throw refused(
                    "The value is %s, but it must be a string, a number or another simple value."
                            .formatted(value == null ? "null" : "of " + value.getClass()),
                    null);
        }
        String text = value.toString();
        if (text.isBlank()) {
            throw refused(
                    "The value is empty or blank, but it must have 1 to %d characters.".formatted(LONGEST_KEY), null);
        }
        if (text.length() > LONGEST_KEY) {
            throw refused(
                    "The value has %d characters, but it must have 1 to %d.".formatted(text.length(), LONGEST_KEY),
                    null);
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw refused("The value contains control characters, which are not allowed.", null);
        }
        return text;
    }

    private IllegalArgumentException refused(@Nullable String reason, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "The event was not published, because the key \"%s\" of the durable listener '%s' cannot be used. %s"
                        .formatted(key == null ? "" : key.text(), id, reason),
                cause);
    }

    /** Calls the method. Throws what the method throws. */
    void call(Object target, @Nullable Object received, Delivery delivery) throws Exception {
        @Nullable Object[] arguments = new Object[parameters.size()];
        for (int each = 0; each < arguments.length; each++) {
            arguments[each] = each == eventIndex ? received : delivery;
        }
        Method invocable = AopUtils.selectInvocableMethod(method, target.getClass());
        ReflectionUtils.makeAccessible(invocable);
        try {
            Object unused = invocable.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            Throwable cause = thrown.getTargetException();
            if (cause instanceof Error error) {
                throw error;
            }
            throw cause instanceof Exception failure ? failure : new UndeclaredThrowableException(cause);
        }
    }
}
