package io.sagaspring.run.carrier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.sagaspring.run.RunCarrier;
import io.sagaspring.run.RunId;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Carries the trace of the code that starts a run. Each execution of the run becomes an observation in that trace. */
final class CarriedTrace implements RunCarrier {

    private static final String PREFIX = "trace:";

    private final ObservationRegistry observations;
    private final Function<RunId, @Nullable String> pages;

    CarriedTrace(ObservationRegistry observations, Function<RunId, @Nullable String> pages) {
        this.observations = observations;
        this.pages = pages;
    }

    @Override
    public void capture(Map<String, String> carried) {
        SenderContext<Map<String, String>> sent = new SenderContext<>((to, key, value) -> {
            if (to != null) {
                to.put(PREFIX + key, value);
            }
        });
        sent.setCarrier(carried);
        Observation.createNotStarted("saga.run.start", () -> sent, observations).observe(() -> {});
    }

    @Override
    public void restore(Map<String, String> carried, String run, Runnable work) {
        observation(carried, run).observe(work);
    }

    @Override
    public void restore(Map<String, String> carried, String run, RunId id, Runnable work) {
        Observation observation = observation(carried, run).highCardinalityKeyValue("id", id.toString());
        String page = pages.apply(id);
        if (page != null) {
            observation.highCardinalityKeyValue("page", page);
        }
        observation.observe(work);
    }

    private Observation observation(Map<String, String> carried, String run) {
        ReceiverContext<Map<String, String>> received = new ReceiverContext<>((from, key) -> from.get(PREFIX + key));
        received.setCarrier(carried);
        return Observation.createNotStarted("saga.run", () -> received, observations)
                .contextualName("run " + run)
                .lowCardinalityKeyValue("run", run);
    }
}
