package io.sagaspring.schedule;

import io.sagaspring.run.RunCatalog;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * The schedules that are declared on this node. If schedules have faults, {@link #read} throws an exception that lists
 * all of them.
 *
 * @since 0.1.0
 */
public final class ScheduleCatalog {

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,99}");

    private final Map<String, ScheduleTerms> terms;

    private ScheduleCatalog(Map<String, ScheduleTerms> terms) {
        this.terms = terms;
    }

    /**
     * Collects the schedules of this node from the annotations and the properties, and checks them.
     *
     * @param code the code of all runs and sagas on this node
     * @param settings the settings that supplement the annotations
     * @return the schedules that are not off
     * @throws io.sagaspring.startup.StartupFaultException if the schedules have faults
     */
    public static ScheduleCatalog read(Collection<RunCatalog.Code> code, ScheduleSettings settings) {
        Map<String, ScheduleTerms> terms = new TreeMap<>();
        Map<String, Class<?>> named = new TreeMap<>();
        List<String> faults = new ArrayList<>();
        Set<Class<?>> seen = new HashSet<>();
        for (RunCatalog.Code each : code) {
            seen.add(each.type());
            for (RunSchedule annotation : annotations(each.type())) {
                String name = annotation.name();
                if (!NAME.matcher(name).matches()) {
                    faults.add(
                            "The schedule '%s' of %s has an unusable name. Write 1 to 100 lower-case letters, digits and dashes, beginning with a letter."
                                    .formatted(name, each.type().getName()));
                    continue;
                }
                Class<?> before = named.putIfAbsent(name, each.type());
                if (before != null) {
                    faults.add("Two schedules have the name '%s': one of %s and one of %s. Rename one of them."
                            .formatted(name, before.getName(), each.type().getName()));
                    continue;
                }
                checkInput(name, each, faults);
                ScheduleTerms read = new ScheduleReading(annotation, each.type(), settings, faults).terms(each.name());
                if (read != null) {
                    terms.put(name, read);
                }
            }
        }
        addFaultsOfOtherBeans(settings, seen, faults);
        addFaultsOfProperties(settings, named.keySet(), faults);
        if (!faults.isEmpty()) {
            throw new InvalidSchedulesException(faults);
        }
        return new ScheduleCatalog(terms);
    }

    private static List<RunSchedule> annotations(Class<?> type) {
        return MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).stream(RunSchedule.class)
                .map(each -> each.synthesize())
                .toList();
    }

    private static void checkInput(String name, RunCatalog.Code code, List<String> faults) {
        Type input = code.input();
        if (input != Firing.class) {
            faults.add(
                    "The schedule '%s' starts %s with a Firing, but its input has the type %s. Declare the input as Firing."
                            .formatted(name, code.type().getName(), input.getTypeName()));
        }
    }

    private static void addFaultsOfOtherBeans(ScheduleSettings settings, Set<Class<?>> seen, List<String> faults) {
        for (Class<?> each : settings.annotated()) {
            if (!seen.contains(each)) {
                faults.add(
                        "The bean of class %s has a @RunSchedule, but is neither a DurableRun nor a Saga. Move the annotation to such a bean."
                                .formatted(each.getName()));
            }
        }
    }

    private static void addFaultsOfProperties(ScheduleSettings settings, Set<String> names, List<String> faults) {
        settings.byName().keySet().stream()
                .filter(each -> !names.contains(each))
                .sorted()
                .forEach(each -> faults.add(
                        "The properties %s%s.*%s belong to no schedule. The schedules are: %s. Correct the name, or remove the properties."
                                .formatted(
                                        ScheduleSettings.PROPERTIES,
                                        each,
                                        settings.origin(ScheduleSettings.PROPERTIES + each),
                                        names.isEmpty() ? "none" : String.join(", ", names))));
    }

    Map<String, ScheduleTerms> terms() {
        return terms;
    }
}
