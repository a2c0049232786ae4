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

/**
 * What a method must be like so that a proxy can stand before it, and its work be over when it returns.
 */
final class ShapeRules {

    private static final String SUSPENDED = "kotlin.coroutines.Continuation";
    private static final List<Class<?>> LATER =
            List.of(BaseStream.class, CompletionStage.class, Flow.Publisher.class, Future.class);

    private ShapeRules() {}

    /** Refuses a method that would be called without its proxy. */
    static void requireProxy(MethodReading reading) {
        int modifiers = reading.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            reading.fault(
                    "is private, static or final, so that no proxy can stand before it. Make it an instance method that may be overridden.");
        }
    }

    /** Refuses a method that another thread carries out. */
    static boolean refuseAsync(MethodReading reading, String consequence) {
        if (!AsyncMethods.isAsync(reading.method(), reading.type())) {
            return false;
        }
        reading.fault(
                "is @Async, itself or by its class: %s before the work begins. Annotate a method that the other thread calls."
                        .formatted(consequence));
        return true;
    }

    /** Refuses a method whose result is not there when it ends. */
    static boolean refuseLater(MethodReading reading, String consequence) {
        Class<?> result = ResolvableType.forType(reading.returned()).resolve(Object.class);
        if (isLater(result)) {
            refuseLater(reading, result, consequence);
            return true;
        }
        if (isSuspending(reading.method())) {
            reading.fault(
                    "is a suspending function, whose result is not there when it first returns: %s. Annotate a function that does not suspend."
                            .formatted(consequence));
            return true;
        }
        return false;
    }

    /** Refuses a method because of its result. */
    static void refuseLater(MethodReading reading, Class<?> result, String consequence) {
        reading.fault("returns %s, whose result is not there when the method ends: %s. Return the value itself."
                .formatted(result.getName(), consequence));
    }

    /** Whether a result only promises one. */
    static boolean isLater(Class<?> result) {
        return LATER.stream().anyMatch(each -> each.isAssignableFrom(result))
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null;
    }

    private static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals(SUSPENDED);
    }

    /** Refuses a name that means one argument to who reads it, and another one to who compiles without names. */
    static void requireClearNames(MethodReading reading) {
        List<Arguments.Parameter> parameters = reading.parameters();
        for (int each = 0; each < parameters.size(); each++) {
            String name = parameters.get(each).name();
            int number = number(name, parameters.size());
            if (number >= 0 && number != each) {
                reading.fault("has a parameter '%s', which is also how parameter %d is called by number. Rename it."
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
