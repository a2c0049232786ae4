package io.sagaspring.listener;

import io.sagaspring.method.AnnotatedBeans;
import io.sagaspring.method.MethodReading;
import io.sagaspring.payload.PayloadCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The durable listeners of this node. If some methods cannot be listeners, one exception reports all of their faults.
 *
 * @since 0.1.0
 */
public final class ListenerCatalog {

    private final Map<String, ListenerMethod> byId;
    private final Map<Class<?>, List<ListenerMethod>> byEvent = new ConcurrentHashMap<>();

    private ListenerCatalog(Map<String, ListenerMethod> byId) {
        this.byId = byId;
    }

    /**
     * Reads the listeners of all beans.
     *
     * @param beans the beans of the application
     * @param codec the codec of the events
     * @param settings the settings that add to the annotations or replace their values
     * @return the listeners
     * @throws io.sagaspring.startup.StartupFaultException if listeners have faults
     */
    public static ListenerCatalog read(
            ConfigurableListableBeanFactory beans, PayloadCodec codec, ListenerSettings settings) {
        Map<String, ListenerMethod> byId = new TreeMap<>();
        Map<String, String> places = new TreeMap<>();
        List<String> faults = new ArrayList<>();
        for (AnnotatedBeans.Bean<DurableListener> bean : AnnotatedBeans.find(beans, DurableListener.class)) {
            bean.methods().forEach((method, annotation) -> {
                MethodReading reading = new MethodReading(method, bean.type());
                ListenerReading listener = new ListenerReading(
                        beans,
                        codec,
                        settings,
                        new ListenerReading.Place(bean.name(), bean.exposed()),
                        reading,
                        annotation);
                String place = "%s of the bean '%s'".formatted(reading.name(), bean.name());
                String before = places.putIfAbsent(listener.id(), place);
                if (before != null) {
                    reading.fault(
                            "has the id '%s', which %s has, too. Each would take the events of the other. Set another id."
                                    .formatted(
                                            listener.id(),
                                            before.equals(place) ? "another method of that name" : before));
                }
                ListenerMethod read = listener.listener();
                if (read != null) {
                    byId.put(read.id(), read);
                }
                faults.addAll(reading.faults());
            });
        }
        addFaultsOfProperties(settings, places.keySet(), faults);
        if (!faults.isEmpty()) {
            throw new InvalidListenersException(faults);
        }
        return new ListenerCatalog(byId);
    }

    private static void addFaultsOfProperties(ListenerSettings settings, Set<String> ids, List<String> faults) {
        settings.byId().keySet().stream()
                .filter(each -> !ids.contains(each))
                .sorted()
                .forEach(each -> faults.add(
                        "The properties %s%s.*%s belong to no durable listener. The listeners are: %s. Correct the id, or remove the properties."
                                .formatted(
                                        ListenerSettings.PROPERTIES,
                                        each,
                                        settings.origin().apply(ListenerSettings.PROPERTIES + each),
                                        String.join(", ", ids))));
    }

    Set<String> ids() {
        return byId.keySet();
    }

    List<ListenerMethod> all() {
        return List.copyOf(byId.values());
    }

    @Nullable
    ListenerMethod find(String id) {
        return byId.get(id);
    }

    /** Returns the listeners of an event, in the order of their ids. */
    List<ListenerMethod> of(Class<?> event) {
        return byEvent.computeIfAbsent(
                event,
                type -> byId.values().stream()
                        .filter(each -> each.event().isAssignableFrom(type))
                        .toList());
    }
}
