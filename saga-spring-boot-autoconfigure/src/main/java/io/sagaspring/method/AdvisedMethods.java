package io.sagaspring.method;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.util.ClassUtils;

/**
 * Selects the methods that have an annotation, and collects the faults of those that cannot be advised. Each class is
 * read once.
 *
 * @param <A> the annotation
 * @param <M> the parsed annotation of a method
 * @since 0.1.0
 */
public abstract class AdvisedMethods<A extends Annotation, M> extends StaticMethodMatcherPointcut {

    private final AnnotatedMethods<A> annotated;
    private final Map<Class<?>, Read<M>> classes = new ConcurrentHashMap<>();

    private record Signature(String name, List<Class<?>> parameters) {

        static Signature of(Method method) {
            return new Signature(method.getName(), List.of(method.getParameterTypes()));
        }
    }

    /** The methods and the faults that were found in a class. */
    private record Read<M>(Map<Signature, M> methods, List<String> faults) {}

    /**
     * Creates the pointcut for an annotation.
     *
     * @param annotation the annotation
     */
    protected AdvisedMethods(Class<A> annotation) {
        this.annotated = new AnnotatedMethods<>(annotation);
    }

    /**
     * Reads a method.
     *
     * @param reading the method to read; add each fault to it with {@link MethodReading#fault}
     * @param found the annotation
     * @param others all methods of the class that have the annotation, including this one
     * @return the parsed annotation, which is ignored if the method has faults
     */
    protected abstract @Nullable M read(MethodReading reading, A found, Set<Method> others);

    /**
     * Returns true if something other than a proxy does what the annotation of a method requires. Such a method is
     * ignored.
     *
     * @param method the method
     * @param type the class of the target object
     * @param found the annotation
     * @return true to ignore the method
     */
    protected boolean isHandledElsewhere(Method method, Class<?> type, A found) {
        return false;
    }

    /**
     * Returns the faults of a class.
     *
     * @param type the class
     * @return the faults, each a sentence
     */
    public List<String> faults(Class<?> type) {
        return read(type).faults();
    }

    @Override
    public boolean matches(Method called, Class<?> target) {
        return find(called, target) != null;
    }

    boolean hasAny(Class<?> type) {
        return !read(type).methods().isEmpty();
    }

    /** Returns the faults of all classes that were read. */
    List<String> allFaults() {
        return classes.values().stream()
                .map(Read::faults)
                .flatMap(Collection::stream)
                .toList();
    }

    String annotationName() {
        return "@" + annotated.annotation().getSimpleName();
    }

    /** Finds the parsed annotation of a method, or null if this advice does not apply to the method. */
    @Nullable
    M find(Method called, Class<?> target) {
        Class<?> type = ClassUtils.getUserClass(target);
        M found = findIn(type, AnnotatedMethods.implementation(called, type));
        Class<?> declaring = called.getDeclaringClass();
        return found != null || declaring.isAssignableFrom(type) ? found : findIn(declaring, called);
    }

    private @Nullable M findIn(Class<?> type, Method method) {
        return read(type).methods().get(Signature.of(method));
    }

    private Read<M> read(Class<?> type) {
        Read<M> known = classes.get(type);
        if (known == null) {
            // Do not use computeIfAbsent here: reading a method may create beans, whose classes are then read during
            // the call.
            Read<M> read = readClass(type);
            Read<M> earlier = classes.putIfAbsent(type, read);
            known = earlier == null ? read : earlier;
        }
        return known;
    }

    private Read<M> readClass(Class<?> type) {
        Map<Signature, M> methods = new HashMap<>();
        List<String> faults = new ArrayList<>();
        Map<Method, A> advised = new LinkedHashMap<>(annotated.of(type));
        advised.entrySet().removeIf(each -> isHandledElsewhere(each.getKey(), type, each.getValue()));
        advised.forEach((method, annotation) -> {
            MethodReading reading = new MethodReading(method, type);
            M read = read(reading, annotation, advised.keySet());
            if (read != null && reading.faults().isEmpty()) {
                methods.put(Signature.of(method), read);
            }
            faults.addAll(reading.faults());
        });
        return new Read<>(methods, faults);
    }
}
