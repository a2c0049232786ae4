package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotent;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.util.ClassUtils;

/** Which methods are protected here, and what is wrong with those that cannot be. Each class is read once. */
final class ProtectedMethods extends StaticMethodMatcherPointcut {

    private final Surroundings surroundings;
    private final Map<Class<?>, Read> classes = new ConcurrentHashMap<>();

    private record Signature(String name, List<Class<?>> parameters) {

        static Signature of(Method method) {
            return new Signature(method.getName(), List.of(method.getParameterTypes()));
        }
    }

    /** What a class says. */
    private record Read(Map<Signature, IdempotentMethod> methods, List<String> faults) {}

    ProtectedMethods(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    boolean hasAny(Class<?> type) {
        return !read(type).methods().isEmpty();
    }

    List<String> faults(Class<?> type) {
        return read(type).faults();
    }

    /** Those of all classes that were read. */
    List<String> allFaults() {
        return classes.values().stream()
                .map(Read::faults)
                .flatMap(Collection::stream)
                .toList();
    }

    @Override
    public boolean matches(Method called, Class<?> target) {
        return find(called, target) != null;
    }

    /** Null if it is not protected here. */
    @Nullable
    IdempotentMethod find(Method called, Class<?> target) {
        Class<?> type = ClassUtils.getUserClass(target);
        IdempotentMethod found = find(type, AnnotatedMethods.carriedOut(called, type));
        Class<?> declaring = called.getDeclaringClass();
        return found != null || declaring.isAssignableFrom(type) ? found : find(declaring, called);
    }

    private @Nullable IdempotentMethod find(Class<?> type, Method method) {
        return read(type).methods().get(Signature.of(method));
    }

    private Read read(Class<?> type) {
        return classes.computeIfAbsent(type, this::readNow);
    }

    private Read readNow(Class<?> type) {
        Map<Signature, IdempotentMethod> methods = new HashMap<>();
        List<String> faults = new ArrayList<>();
        Map<Method, Idempotent> annotated = new LinkedHashMap<>(AnnotatedMethods.of(type));
        annotated.entrySet().removeIf(each -> isProtectedElsewhere(each.getKey(), type, each.getValue()));
        annotated.forEach((method, said) -> {
            MethodReader reader = new MethodReader(method, type, said, surroundings);
            reader.refuseOverloads(annotated.keySet());
            IdempotentMethod read = reader.read();
            if (reader.faults().isEmpty()) {
                methods.put(Signature.of(method), read);
            }
            faults.addAll(reader.faults());
        });
        return new Read(methods, faults);
    }

    private boolean isProtectedElsewhere(Method method, Class<?> type, Idempotent said) {
        if (!HandlerMethods.isHandler(method, type)) {
            return false;
        }
        return switch (surroundings.handlers()) {
            case PROTECTED -> true;
            case NEVER_ASKED -> said.requestId().isEmpty();
            case UNSUPPORTED -> false;
        };
    }
}
