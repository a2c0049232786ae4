package io.sagaspring.run;

import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.function.SingletonSupplier;

/**
 * The code of all runs on this node. All faults in the code are reported together.
 *
 * @since 0.1.0
 */
public final class RunCatalog {

    private static final int LONGEST_NAME = 200;

    private final Supplier<Map<String, Code>> byName;

    /** Reads the names of the kinds that are paused now. */
    private final Supplier<Set<String>> pauses;

    /** The paused kinds that this node has read last, or null before the first time. */
    private volatile @Nullable Set<String> paused;

    /**
     * The code of one kind of run.
     *
     * @param name the name under which runs are stored
     * @param type the class of the code, without any proxy
     * @param bean the bean whose method {@code run} is called
     * @param input the type of the input
     * @param output the type of the result; a result of type {@code Void} is not stored
     * @param defaults the defaults of the code's steps; where they set nothing, the engine's defaults apply;
     *     null if the code retries its steps itself
     * @param deadline the time after which a run is stopped, unless the caller that starts the run sets a deadline;
     *     null for none
     * @param labels the function that computes the labels of a run from its input
     * @param definition the definition that the code passes to {@link RunContext#follow}, or null if it passes none
     */
    public record Code(
            String name,
            Class<?> type,
            DurableRun<?, ?> bean,
            Type input,
            Type output,
            @Nullable StepDefaults defaults,
            @Nullable Duration deadline,
            Function<Object, Map<String, String>> labels,
            @Nullable String definition) {

        /**
         * Creates code that has no deadline, and that retries its steps itself.
         *
         * @param name the name under which runs are stored
         * @param type the class of the code, without any proxy
         * @param bean the bean whose method {@code run} is called
         * @param input the type of the input
         * @param output the type of the result
         */
        public Code(String name, Class<?> type, DurableRun<?, ?> bean, Type input, Type output) {
            this(name, type, bean, input, output, null, null, unused -> Map.of(), null);
        }

        /** Returns the labels computed from a run's input, and those of its start. If both set a label, the start's value is used. */
        Map<String, String> labelsOf(@Nullable Object given, Map<String, String> ofStart) {
            Map<String, String> all = given == null ? Map.of() : labels.apply(given);
            for (Map.Entry<String, String> label : ofStart.entrySet()) {
                all = Labels.with(all, label.getKey(), label.getValue());
            }
            return all;
        }

        /**
         * Returns the defaults of the steps. Where these set nothing, the engine's defaults apply. Code that retries
         * its steps itself has no defaults.
         */
        StepDefaults defaultsOr(StepDefaults ofEngine) {
            return defaults == null ? StepDefaults.none() : defaults.or(ofEngine);
        }
    }

    /** A source of the code of runs that are not beans of type {@link DurableRun}, such as sagas. */
    public interface Source {

        /**
         * Returns the code of this source.
         *
         * @return the code, one entry for each kind of run
         */
        List<Code> code();
    }

    /**
     * Creates a catalog of durable runs that are beans.
     *
     * @param beans the beans that implement {@link DurableRun}
     * @throws io.sagaspring.startup.StartupFaultException if the beans have faults
     */
    public RunCatalog(Collection<? extends DurableRun<?, ?>> beans) {
        this(beans, List.of());
    }

    /**
     * Creates a catalog of durable runs that are beans, and of additional code.
     *
     * @param beans the beans that implement {@link DurableRun}
     * @param more the additional code, such as that of sagas
     * @throws io.sagaspring.startup.StartupFaultException if the code has faults
     */
    public RunCatalog(Collection<? extends DurableRun<?, ?>> beans, Collection<Code> more) {
        this(beans, more, new JsonPayloadCodec(Integer.MAX_VALUE));
    }

    /**
     * Creates a catalog of durable runs that are beans, and of additional code. The codec must be able to read back the
     * inputs and results of the beans.
     *
     * @param beans the beans that implement {@link DurableRun}
     * @param more the additional code, such as that of sagas, whose types have already been checked
     * @param codec the codec for the inputs and the results of the beans
     * @throws io.sagaspring.startup.StartupFaultException if the code has faults
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
        this.pauses = Set::of;
    }

    private RunCatalog(Supplier<Map<String, Code>> byName, Supplier<Set<String>> pauses) {
        this.byName = byName;
        this.pauses = pauses;
    }

    /**
     * Returns a catalog that reads the beans when it is first used, so that the beans may depend on objects that need
     * the catalog.
     *
     * @param reading the supplier that reads the beans
     * @return the catalog
     */
    public static RunCatalog lazily(Supplier<RunCatalog> reading) {
        return new RunCatalog(SingletonSupplier.of(() -> reading.get().byName.get()), Set::of);
    }

    /**
     * Returns a catalog with the same code, some kinds of which are paused.
     *
     * @param reading the supplier of the names of the paused kinds; called at each search for due runs
     * @return the catalog
     */
    public RunCatalog pausing(Supplier<Set<String>> reading) {
        return new RunCatalog(byName, reading);
    }

    /** Reads which kinds are paused, and returns the names of all others. */
    Set<String> namesToPickUp() {
        Set<String> now = pauses.get();
        paused = now;
        return now.isEmpty()
                ? names()
                : names().stream().filter(name -> !now.contains(name)).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns true if the kind was paused when this node last searched for due runs. */
    boolean isPaused(String name) {
        Set<String> known = paused;
        return (known == null ? pauses.get() : known).contains(name);
    }

    private static void add(DurableRun<?, ?> bean, PayloadCodec codec, Map<String, Code> read, List<String> faults) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        String name = bean.name();
        ResolvableType run = ResolvableType.forClass(type).as(DurableRun.class);
        if (run.getGeneric(0).hasUnresolvableGenerics()
                || run.getGeneric(0).resolve() == null
                || run.getGeneric(1).resolve() == null) {
            faults.add(
                    "The run %s does not declare the types of its input and its result, so their values could not be read back. Implement DurableRun<Input, Output> with both types, in a class and not as a lambda."
                            .formatted(type.getName()));
        } else {
            addFaultOfType("has an input of type", type, run.getGeneric(0), codec, faults);
            addFaultOfType("returns", type, run.getGeneric(1), codec, faults);
        }
        StepDefaults defaults = bean.defaults();
        defaults.faults()
                .forEach(fault -> faults.add("The run %s %s. Correct defaults().".formatted(type.getName(), fault)));
        TransactionalMethods.of(type, method -> method.getName().equals("run"))
                .forEach(part -> faults.add(
                        "The %s of the run %s is @Transactional, but no step can be executed inside a transaction, because journal entries are committed on their own. Remove the annotation, and write to the database in RunContext.transactionalStep."
                                .formatted(part, type.getName())));
        add(
                new Code(
                        name,
                        type,
                        bean,
                        run.getGeneric(0).getType(),
                        run.getGeneric(1).getType(),
                        defaults,
                        null,
                        unused -> Map.of(),
                        null),
                read,
                faults);
    }

    private static void addFaultOfType(
            String verb, Class<?> type, ResolvableType value, PayloadCodec codec, List<String> faults) {
        String why = codec.whyUnreadable(value.getType());
        if (why != null) {
            faults.add("The method 'run' of the run %s %s %s, whose values could not be read back. %s"
                    .formatted(type.getName(), verb, value, why));
        }
    }

    private static void add(Code code, Map<String, Code> read, List<String> faults) {
        String name = code.name();
        Class<?> type = code.type();
        if (name.isBlank() || name.length() > LONGEST_NAME || !TextRules.isStorable(name)) {
            faults.add(
                    "The run %s has the name '%s'. A name has 1 to %d characters that are not all blank, without NUL and without unpaired surrogates. Return such a name from name()."
                            .formatted(type.getName(), name, LONGEST_NAME));
        }
        if (name.startsWith(QueuePlace.LANE)) {
            faults.add(
                    "The run %s has the name '%s'. Names that begin with '%s' are reserved for queues. Return another name from name()."
                            .formatted(type.getName(), name, QueuePlace.LANE));
        }
        Code before = read.putIfAbsent(name, code);
        if (before != null) {
            faults.add(
                    "Two runs have the name '%s': %s and %s. Runs are stored under their name, so each class needs its own. Override name()."
                            .formatted(name, before.type().getName(), type.getName()));
        }
    }

    /**
     * Returns the code of all runs on this node.
     *
     * @return the code, one entry for each kind of run
     */
    public List<Code> all() {
        return List.copyOf(byName.get().values());
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
        throw new IllegalArgumentException(
                "There is %s bean of type %s. Declare exactly one such bean, or pass the class of another run. The runs have the names %s."
                        .formatted(kinds.isEmpty() ? "no" : "more than one", type.getName(), names()));
    }
}
