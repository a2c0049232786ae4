package io.sagaspring.method;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/** Finds methods that a proxy cannot intercept, or whose work is not complete when they return. */
final class ShapeRules {

    private static final String SUSPENDED = "kotlin.coroutines.Continuation";
    private static final List<Class<?>> DEFERRED =
            List.of(BaseStream.class, CompletionStage.class, Flow.Publisher.class, Future.class);

    private ShapeRules() {}

    /** Adds a fault if a proxy cannot intercept the method. */
    static void requireProxy(MethodReading reading) {
        int modifiers = reading.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            reading.fault(
                    "is private, static or final, so a proxy cannot intercept it. Make it an instance method that can be overridden.");
        }
    }

    /** Adds a fault if another thread executes the method. */
    static boolean refuseAsync(MethodReading reading, String consequence) {
        if (!AsyncMethods.isAsync(reading.method(), reading.type())) {
            return false;
        }
        reading.fault(
                "is @Async, or its class is, so %s before the work begins. Annotate a method that is called on the asynchronous thread."
                        .formatted(consequence));
        return true;
    }

    /** Adds a fault if the method's result does not exist yet when the method ends. */
    static boolean refuseAsyncResult(MethodReading reading, String consequence) {
        Class<?> result = ResolvableType.forType(reading.returned()).resolve(Object.class);
        if (isAsync(result)) {
            refuseAsyncResult(reading, result, consequence);
            return true;
        }
        if (isSuspending(reading.method())) {
            reading.fault(
                    "is a suspending function and may return before its result exists, so %s. Annotate a function that does not suspend."
                            .formatted(consequence));
            return true;
        }
        return false;
    }

    /** Adds the fault that a result does not exist yet when the method ends. */
    static void refuseAsyncResult(MethodReading reading, Class<?> result, String consequence) {
        reading.fault(
                "returns %s, whose result does not exist yet when the method ends, so %s. Return the value itself."
                        .formatted(result.getName(), consequence));
    }

    /** Returns true if results of a type do not exist yet when the method that returns them ends. */
    static boolean isAsync(Class<?> result) {
        return DEFERRED.stream().anyMatch(each -> each.isAssignableFrom(result))
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null;
    }

    private static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals(SUSPENDED);
    }

    /**
     * Adds a fault for each parameter whose name is also the positional name of another parameter, such as {@code p1}.
     */
    static void requireClearNames(MethodReading reading) {
        List<Arguments.Parameter> parameters = reading.parameters();
        for (int each = 0; each < parameters.size(); each++) {
            String name = parameters.get(each).name();
            int number = number(name, parameters.size());
            if (number >= 0 && number != each) {
                reading.fault("has a parameter '%s', but in expressions that name means parameter %d. Rename it."
                        .formatted(name, number + 1));
            }
        }
    }

    private static int number(@Nullable String name, int count) {
        for (int each = 0; each < count; each++) {
            if (Arguments.number(each).equals(name)) {
                return each;
            }
        }
        return -1;
    }
}
