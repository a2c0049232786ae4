package io.sagaspring.method;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * One method of a bean's class while it is read. Every fault is a sentence about it, and none ends the reading.
 *
 * @since 0.1.0
 */
public final class MethodReading {

    private static final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final Class<?> type;
    private final String name;
    private final Type returned;
    private final List<Arguments.Parameter> parameters;
    private final List<String> faults = new ArrayList<>();

    /**
     * A reading without faults yet.
     *
     * @param method the method
     * @param type the class whose method it is called as
     */
    public MethodReading(Method method, Class<?> type) {
        Class<?> named = AnnotatedMethods.isOnlyInterfaces(type) ? method.getDeclaringClass() : type;
        this.method = method;
        this.type = type;
        this.name = named.getName() + "." + method.getName();
        this.returned = GenericTypeResolver.resolveType(method.getGenericReturnType(), type);
        this.parameters = parameters(method, type);
    }

    private static List<Arguments.Parameter> parameters(Method method, Class<?> type) {
        Type[] types = method.getGenericParameterTypes();
        @Nullable String @Nullable [] known = names.getParameterNames(method);
        List<Arguments.Parameter> parameters = new ArrayList<>();
        for (int each = 0; each < types.length; each++) {
            parameters.add(new Arguments.Parameter(
                    known == null ? null : known[each], GenericTypeResolver.resolveType(types[each], type)));
        }
        return parameters;
    }

    /**
     * The method.
     *
     * @return as it is carried out
     */
    public Method method() {
        return method;
    }

    /**
     * Where it is called.
     *
     * @return the class whose method it is called as
     */
    public Class<?> type() {
        return type;
    }

    /**
     * What else is said of it.
     *
     * @param annotation another annotation
     * @param <A> its type
     * @return the annotation, wherever it stands, or null
     */
    public <A extends Annotation> @Nullable A find(Class<A> annotation) {
        return new AnnotatedMethods<>(annotation).of(type).get(method);
    }

    /**
     * The method, as it shows to people.
     *
     * @return its class and its name
     */
    public String name() {
        return name;
    }

    /**
     * What it returns.
     *
     * @return the type, as the class it is called on has it
     */
    public Type returned() {
        return returned;
    }

    /**
     * What it is called with.
     *
     * @return its parameters
     */
    public List<Arguments.Parameter> parameters() {
        return parameters;
    }

    /**
     * What its expressions may be about.
     *
     * @return the names and numbers of its parameters
     */
    public Set<String> variables() {
        return new Arguments(parameters, Collections.nCopies(parameters.size(), null))
                .variables()
                .keySet();
    }

    /**
     * Takes down what is wrong.
     *
     * @param predicate a sentence without its subject, which is the method
     */
    public void fault(String predicate) {
        faults.add(name + " " + predicate);
    }

    /**
     * What is wrong.
     *
     * @return sentences
     */
    public List<String> faults() {
        return List.copyOf(faults);
    }

    /** Refuses a method that would be called without its proxy. */
    public void requireProxy() {
        ShapeRules.requireProxy(this);
    }

    /** Refuses a name that means one argument to who reads it, and another one to who compiles without names. */
    public void requireClearNames() {
        ShapeRules.requireClearNames(this);
    }

    /**
     * Refuses a method that another thread carries out.
     *
     * @param consequence what would be done before the work begins
     * @return whether it is refused
     */
    public boolean refuseAsync(String consequence) {
        return ShapeRules.refuseAsync(this, consequence);
    }

    /**
     * Refuses a method whose result is not there when it ends.
     *
     * @param consequence what would come of that
     * @return whether it is refused
     */
    public boolean refuseLater(String consequence) {
        return ShapeRules.refuseLater(this, consequence);
    }

    /**
     * Refuses a method because of its result, or of a part of it.
     *
     * @param result what it returns
     * @param consequence what would come of that
     */
    public void refuseLater(Class<?> result, String consequence) {
        ShapeRules.refuseLater(this, result, consequence);
    }

    /**
     * Tells whether a result only promises one.
     *
     * @param result what is returned
     * @return true for futures, streams and publishers
     */
    public static boolean isLater(Class<?> result) {
        return ShapeRules.isLater(result);
    }

    /**
     * Reads an attribute that is an expression.
     *
     * @param attribute its name
     * @param text the expression
     * @param variables those that there will be
     * @return the expression, or null where it is at fault
     */
    public @Nullable MethodExpression expression(String attribute, String text, Set<String> variables) {
        try {
            return MethodExpression.parse(text, variables);
        } catch (MethodExpression.Invalid invalid) {
            fault("has the %s \"%s\", and %s".formatted(attribute, text, invalid.getMessage()));
            return null;
        }
    }

    /**
     * Reads an attribute that is a duration.
     *
     * @param attribute its name
     * @param text the duration, such as {@code 5s}, or a placeholder for one
     * @param placeholders resolves those
     * @return the duration, not negative, or null where it is none or at fault
     */
    public @Nullable Duration duration(String attribute, String text, UnaryOperator<String> placeholders) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            Duration duration = DurationFormatterUtils.detectAndParse(placeholders.apply(text));
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (IllegalArgumentException | DateTimeParseException unreadable) {
            // It is told below.
        }
        fault("has the %s \"%s\", which is no duration such as 5s.".formatted(attribute, text));
        return null;
    }
}
