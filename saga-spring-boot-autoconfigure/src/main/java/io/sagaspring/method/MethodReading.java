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
 * A method of a bean's class, with the faults that were found in it. Each fault is a sentence about the method. Reading
 * continues after a fault, so that all faults are found.
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
     * Creates a reading without faults.
     *
     * @param method the method
     * @param type the class of the target object
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
     * Returns the method.
     *
     * @return the method that a call executes
     */
    public Method method() {
        return method;
    }

    /**
     * Returns the class of the target object.
     *
     * @return the class
     */
    public Class<?> type() {
        return type;
    }

    /**
     * Finds an annotation of the method.
     *
     * @param annotation the class of the annotation
     * @param <A> the type of the annotation
     * @return the annotation, possibly from an interface, or null if there is none
     */
    public <A extends Annotation> @Nullable A find(Class<A> annotation) {
        return new AnnotatedMethods<>(annotation).of(type).get(method);
    }

    /**
     * Returns the display name of the method.
     *
     * @return its class name and method name
     */
    public String name() {
        return name;
    }

    /**
     * Returns the return type, resolved for the class of the target object.
     *
     * @return the type
     */
    public Type returned() {
        return returned;
    }

    /**
     * Returns the parameters.
     *
     * @return the parameters, in the order of declaration
     */
    public List<Arguments.Parameter> parameters() {
        return parameters;
    }

    /**
     * Returns the variables that the expressions of the method's annotation can use.
     *
     * @return the names of the variables: the parameters' numbers, such as {@code p0}, and their names where these are
     *     known
     */
    public Set<String> variables() {
        return new Arguments(parameters, Collections.nCopies(parameters.size(), null))
                .variables()
                .keySet();
    }

    /**
     * Adds a fault.
     *
     * @param predicate the fault, as a predicate whose subject is the method
     */
    public void fault(String predicate) {
        faults.add(name + " " + predicate);
    }

    /**
     * Returns the faults.
     *
     * @return the faults, each a sentence
     */
    public List<String> faults() {
        return List.copyOf(faults);
    }

    /** Adds a fault if a proxy cannot intercept the method. */
    public void requireProxy() {
        ShapeRules.requireProxy(this);
    }

    /**
     * Adds a fault for each parameter whose name is also the positional name of another parameter, such as {@code p1}.
     */
    public void requireClearNames() {
        ShapeRules.requireClearNames(this);
    }

    /**
     * Adds a fault if another thread executes the method.
     *
     * @param consequence the effect, as a clause that stands between "so" and "before the work begins"
     * @return true if a fault was added
     */
    public boolean refuseAsync(String consequence) {
        return ShapeRules.refuseAsync(this, consequence);
    }

    /**
     * Adds a fault if the method's result does not exist yet when the method ends.
     *
     * @param consequence the effect, as a clause that follows "so"
     * @return true if a fault was added
     */
    public boolean refuseAsyncResult(String consequence) {
        return ShapeRules.refuseAsyncResult(this, consequence);
    }

    /**
     * Adds the fault that the result, or a part of it, does not exist yet when the method ends.
     *
     * @param result the type of the result or of the part
     * @param consequence the effect, as a clause that follows "so"
     */
    public void refuseAsyncResult(Class<?> result, String consequence) {
        ShapeRules.refuseAsyncResult(this, result, consequence);
    }

    /**
     * Returns true if results of a type do not exist yet when the method that returns them ends.
     *
     * @param result the type of the result
     * @return true for futures, streams and reactive types
     */
    public static boolean isAsync(Class<?> result) {
        return ShapeRules.isAsync(result);
    }

    /**
     * Parses an attribute that is an expression, and adds a fault if it is invalid.
     *
     * @param attribute the name of the attribute
     * @param text the expression
     * @param variables the names of the available variables
     * @return the expression, or null after a fault
     */
    public @Nullable MethodExpression expression(String attribute, String text, Set<String> variables) {
        try {
            return MethodExpression.parse(text, variables);
        } catch (MethodExpression.Invalid invalid) {
            fault("has the %s \"%s\", but %s".formatted(attribute, text, invalid.getMessage()));
            return null;
        }
    }

    /**
     * Parses an attribute that is a duration, and adds a fault if it is invalid.
     *
     * @param attribute the name of the attribute
     * @param text the duration, such as {@code 5s}, or a placeholder for one
     * @param placeholders the resolver of placeholders
     * @return a non-negative duration, or null if the text is empty or invalid
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
            // The fault is added below.
        }
        fault("has the %s \"%s\", which is not a valid duration. Write a duration such as 5s."
                .formatted(attribute, text));
        return null;
    }
}
