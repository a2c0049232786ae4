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

/** The rules for methods that a proxy can intercept, and whose work is complete when they return. */
final class ShapeRules {

    private static final String SUSPENDED = "kotlin.coroutines.Continuation";
    private static final List<Class<?>> DEFERRED =
            List.of(BaseStream.class, CompletionStage.class, Flow.Publisher.class, Future.class);

    private ShapeRules() {}

    /** Adds a fault for a method that a proxy cannot intercept. */
    static void requireProxy(MethodReading reading) {
        int modifiers = reading.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            reading.fault(
                    "is private, static or final, so that a proxy cannot intercept it. Make it an instance method that can be overridden.");
        }
    }

    /** Adds a fault for a method that another thread executes. */
    static boolean refuseAsync(MethodReading reading, String consequence) {
        if (!AsyncMethods.isAsync(reading.method(), reading.type())) {
            return false;
        }
        reading.fault(
                "is @Async, or its class is, so that %s before the work begins. Annotate a method that the other thread calls."
                        .formatted(consequence));
        return true;
    }

    /** Adds a fault for a method whose result does not exist yet when the method ends. */
    static boolean refuseAsyncResult(MethodReading reading, String consequence) {
        Class<?> result = ResolvableType.forType(reading.returned()).resolve(Object.class);
        if (isAsync(result)) {
            refuseAsyncResult(reading, result, consequence);
            return true;
        }
        if (isSuspending(reading.method())) {
            reading.fault(
                    "is a suspending function, whose result does not exist yet when it first returns, so that %s. Annotate a function that does not suspend."
                            .formatted(consequence));
            return true;
        }
        return false;
    }

    /** Adds a fault for a result that does not exist yet when the method ends. */
    static void refuseAsyncResult(MethodReading reading, Class<?> result, String consequence) {
        reading.fault(
                "returns %s, whose result does not exist yet when the method ends, so that %s. Return the value itself."
                        .formatted(result.getName(), consequence));
    }

    /** Returns true if a result does not exist yet when the method ends. */
    static boolean isAsync(Class<?> result) {
        return DEFERRED.stream().anyMatch(each -> each.isAssignableFrom(result))
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null;
    }

    private static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals(SUSPENDED);
    }

    /** Adds a fault for each parameter whose name is also the positional name of another one. */
    static void requireClearNames(MethodReading reading) {
        List<Arguments.Parameter> parameters = reading.parameters();
        for (int each = 0; each < parameters.size(); each++) {
            String name = parameters.get(each).name();
            int number = number(name, parameters.size());
            if (number >= 0 && number != each) {
                reading.fault("has a parameter '%s', but expressions use that name for parameter %d. Rename it."
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
