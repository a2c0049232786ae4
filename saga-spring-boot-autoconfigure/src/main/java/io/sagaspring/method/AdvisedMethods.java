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
 * Which methods an annotation is carried out for, and what is wrong with those for which it cannot be. What was read of a
 * class is kept.
 *
 * @param <A> the annotation
 * @param <M> what is known of a method
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

    /** What a class says. */
    private record Read<M>(Map<Signature, M> methods, List<String> faults) {}

    /**
     * Methods that bear an annotation.
     *
     * @param annotation the one that is carried out
     */
    protected AdvisedMethods(Class<A> annotation) {
        this.annotated = new AnnotatedMethods<>(annotation);
    }

    /**
     * Reads a method.
     *
     * @param reading is told what is wrong
     * @param said the annotation
     * @param others all methods of the class that bear it, this one too
     * @return what is known of the method, worth something only where nothing is wrong
     */
    protected abstract @Nullable M read(MethodReading reading, A said, Set<Method> others);

    /**
     * Whether something other than a proxy carries the annotation out.
     *
     * @param method the method
     * @param type the class whose method it is called as
     * @param said the annotation
     * @return whether the method is to be left alone
     */
    protected boolean isLeftToOthers(Method method, Class<?> type, A said) {
        return false;
    }

    /**
     * What is wrong with a class.
     *
     * @param type the class
     * @return sentences
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

    /** Those of all classes that were read. */
    List<String> allFaults() {
        return classes.values().stream()
                .map(Read::faults)
                .flatMap(Collection::stream)
                .toList();
    }

    String annotationName() {
        return "@" + annotated.annotation().getSimpleName();
    }

    /** Null if the annotation is not carried out for it here. */
    @Nullable
    M find(Method called, Class<?> target) {
        Class<?> type = ClassUtils.getUserClass(target);
        M found = findIn(type, AnnotatedMethods.carriedOut(called, type));
        Class<?> declaring = called.getDeclaringClass();
        return found != null || declaring.isAssignableFrom(type) ? found : findIn(declaring, called);
    }

    private @Nullable M findIn(Class<?> type, Method method) {
        return read(type).methods().get(Signature.of(method));
    }

    private Read<M> read(Class<?> type) {
        Read<M> known = classes.get(type);
        if (known == null) {
            // Not computeIfAbsent: to read a method may create beans, whose classes are read in turn.
            Read<M> now = readNow(type);
            Read<M> meanwhile = classes.putIfAbsent(type, now);
            known = meanwhile == null ? now : meanwhile;
        }
        return known;
    }

    private Read<M> readNow(Class<?> type) {
        Map<Signature, M> methods = new HashMap<>();
        List<String> faults = new ArrayList<>();
        Map<Method, A> here = new LinkedHashMap<>(annotated.of(type));
        here.entrySet().removeIf(each -> isLeftToOthers(each.getKey(), type, each.getValue()));
        here.forEach((method, said) -> {
            MethodReading reading = new MethodReading(method, type);
            M read = read(reading, said, here.keySet());
            if (read != null && reading.faults().isEmpty()) {
                methods.put(Signature.of(method), read);
            }
            faults.addAll(reading.faults());
        });
        return new Read<>(methods, faults);
    }
}
