package io.sagaspring.run;

import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.function.SingletonSupplier;

/**
 * The code of all runs that this node has. All that is wrong with it is told at once.
 *
 * @since 0.1.0
 */
public final class RunCatalog {

    private static final int LONGEST_NAME = 200;

    private final Supplier<Map<String, Code>> byName;

    /**
     * The code of one kind of run.
     *
     * @param name under which runs are stored
     * @param type the class that has the code, behind any proxy
     * @param bean what is called
     * @param input what it is given
     * @param output what it returns
     */
    public record Code(String name, Class<?> type, DurableRun<?, ?> bean, Type input, Type output) {}

    /** Has code that is no bean of its own. */
    public interface Source {

        /**
         * The code.
         *
         * @return each kind of run
         */
        List<Code> code();
    }

    /**
     * Reads the beans.
     *
     * @param beans what the application has
     * @throws io.sagaspring.startup.StartupFaultException if anything is wrong with them
     */
    public RunCatalog(Collection<? extends DurableRun<?, ?>> beans) {
        this(beans, List.of());
    }

    /**
     * Reads the beans, beside code whose types are known.
     *
     * @param beans what the application has
     * @param more what is made of something else
     * @throws io.sagaspring.startup.StartupFaultException if anything is wrong with them
     */
    public RunCatalog(Collection<? extends DurableRun<?, ?>> beans, Collection<Code> more) {
        this(beans, more, new JsonPayloadCodec(Integer.MAX_VALUE));
    }

    /**
     * Reads the beans, beside code whose types are known, and requires of the types that the codec reads them back.
     *
     * @param beans what the application has
     * @param more what is made of something else, and has checked its types itself
     * @param codec stores what the beans are given and return
     * @throws io.sagaspring.startup.StartupFaultException if anything is wrong with them
     */
    public RunCatalog(Collection<? extends DurableRun<?, ?>> beans, Collection<Code> more, PayloadCodec codec) {
        Map<String, Code> read = new LinkedHashMap<>();
        List<String> faults = new ArrayList<>();
        more.forEach(code -> add(code, read, faults));
        beans.forEach(bean -> add(bean, codec, read, faults));
        if (!faults.isEmpty()) {
            throw new InvalidRunsException(faults);
        }
        this.byName = () -> read;
    }

    private RunCatalog(Supplier<RunCatalog> reading) {
        this.byName = SingletonSupplier.of(() -> reading.get().byName.get());
    }

    /**
     * Returns a catalog that reads the beans when it is first asked for one, so that they may need what needs the catalog.
     *
     * @param reading reads the beans
     * @return the catalog
     */
    public static RunCatalog lazily(Supplier<RunCatalog> reading) {
        return new RunCatalog(reading);
    }

    private static void add(DurableRun<?, ?> bean, PayloadCodec codec, Map<String, Code> read, List<String> faults) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        String name = bean.name();
        ResolvableType run = ResolvableType.forClass(type).as(DurableRun.class);
        if (run.getGeneric(0).hasUnresolvableGenerics()
                || run.getGeneric(0).resolve() == null
                || run.getGeneric(1).resolve() == null) {
            faults.add(
                    "The run %s does not say what it is given and what it returns, so that it could not be read back. Implement DurableRun<Input, Output> with both types, by a class and not by a lambda."
                            .formatted(type.getName()));
        } else {
            addFaultOfType("is given", type, run.getGeneric(0), codec, faults);
            addFaultOfType("returns", type, run.getGeneric(1), codec, faults);
        }
        TransactionalMethods.of(type, method -> method.getName().equals("run"))
                .forEach(what -> faults.add(
                        "The %s of the run %s is @Transactional, and no step can be asked for inside a transaction: what is journaled commits by itself. Remove the annotation, and write in RunContext.transactionalStep."
                                .formatted(what, type.getName())));
        add(
                new Code(
                        name,
                        type,
                        bean,
                        run.getGeneric(0).getType(),
                        run.getGeneric(1).getType()),
                read,
                faults);
    }

    private static void addFaultOfType(
            String verb, Class<?> type, ResolvableType value, PayloadCodec codec, List<String> faults) {
        String why = codec.whyUnreadable(value.getType());
        if (why != null) {
            faults.add("The method 'run' of the run %s %s %s, which could not be read back. %s"
                    .formatted(type.getName(), verb, value, why));
        }
    }

    private static void add(Code code, Map<String, Code> read, List<String> faults) {
        String name = code.name();
        Class<?> type = code.type();
        if (name.isBlank() || name.length() > LONGEST_NAME || !TextRules.isStorable(name)) {
            faults.add(
                    "The run %s has the name '%s'. A name has 1 to %d characters that are not all blank: return one from name()."
                            .formatted(type.getName(), name, LONGEST_NAME));
        }
        Code before = read.putIfAbsent(name, code);
        if (before != null) {
            faults.add(
                    "Two runs have the name '%s': %s and %s. Runs are stored by it, so that each needs its own: override name()."
                            .formatted(name, before.type().getName(), type.getName()));
        }
    }

    Set<String> names() {
        return Set.copyOf(byName.get().keySet());
    }

    Optional<Code> find(String name) {
        return Optional.ofNullable(byName.get().get(name));
    }

    Code of(Class<?> type) {
        List<Code> kinds = byName.get().values().stream()
                .filter(each -> each.type() == type)
                .toList();
        if (kinds.isEmpty()) {
            kinds = byName.get().values().stream()
                    .filter(each -> type.isAssignableFrom(each.type()))
                    .toList();
        }
        if (kinds.size() == 1) {
            return kinds.get(0);
        }
        throw new IllegalArgumentException("There is %s bean of type %s. The runs of this application are %s."
                .formatted(kinds.isEmpty() ? "no" : "more than one", type.getName(), names()));
    }
}
