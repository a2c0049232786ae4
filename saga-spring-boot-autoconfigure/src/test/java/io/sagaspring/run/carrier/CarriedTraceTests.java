package io.sagaspring.run.carrier;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.sagaspring.run.RunId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A run continues the caller's trace each time it is executed. */
class CarriedTraceTests {

    private static final String HEADER = "traceparent";

    /** Propagates a trace as a tracer does: the sender writes a header, and the receiver reads the header. */
    private static final class Propagating implements ObservationHandler<Observation.Context> {

        private final List<String> received = new ArrayList<>();

        @Override
        @SuppressWarnings("unchecked")
        public void onStart(Observation.Context context) {
            if (context instanceof SenderContext<?> sent) {
                ((SenderContext<Object>) sent).getSetter().set(sent.getCarrier(), HEADER, "00-trace-7");
            } else if (context instanceof ReceiverContext<?> got) {
                received.add(context.getName() + " "
                        + ((ReceiverContext<Object>) got)
                                .getGetter()
                                .get(Objects.requireNonNull(got.getCarrier()), HEADER));
            }
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    @Test
    void eachExecutionOfARunContinuesTheCallersTrace() {
        Propagating propagating = new Propagating();
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(propagating);
        CarriedTrace trace = new CarriedTrace(registry, id -> "https://x/" + id);
        Map<String, String> carried = new HashMap<>();

        trace.capture(carried);
        List<String> observed = new ArrayList<>();
        trace.restore(Map.copyOf(carried), "tale", () -> observed.add(currentOf(registry)));
        trace.restore(Map.copyOf(carried), "tale", () -> observed.add(currentOf(registry)));

        assertThat(carried).containsExactly(Map.entry("trace:" + HEADER, "00-trace-7"));
        assertThat(propagating.received).containsExactly("saga.run 00-trace-7", "saga.run 00-trace-7");
        assertThat(observed).containsExactly("run tale", "run tale");
        assertThat(registry.getCurrentObservation()).isNull();
    }

    private static @Nullable String noPage(RunId run) {
        return null;
    }

    @Test
    @SuppressWarnings(
            "NullAway") // The compiler of JDK 17 does not read from class files that the function may return null.
    void theObservationOfARunHasItsIdAndItsPage() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new Propagating());
        RunId id = RunId.next();
        List<String> values = new ArrayList<>();

        new CarriedTrace(registry, each -> "https://x/" + each)
                .restore(
                        Map.of(),
                        "tale",
                        id,
                        () -> values.add(Objects.requireNonNull(registry.getCurrentObservation())
                                .getContext()
                                .toString()));
        new CarriedTrace(registry, CarriedTraceTests::noPage).restore(Map.of(), "tale", id, () -> values.add("called"));

        assertThat(values).hasSize(2);
        assertThat(values.get(0)).contains("id='%s'".formatted(id), "page='https://x/%s'".formatted(id));
    }

    private static String currentOf(ObservationRegistry registry) {
        Observation current = registry.getCurrentObservation();
        return current == null ? "none" : String.valueOf(current.getContext().getContextualName());
    }
}
