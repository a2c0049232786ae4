package io.sagaspring.run.carrier;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.sagaspring.run.RunCarrier;
import java.util.Map;

/** Carries the trace of the code that starts a run. Each execution of the run becomes an observation in that trace. */
final class CarriedTrace implements RunCarrier {

    private static final String PREFIX = "trace:";

    private final ObservationRegistry observations;

    CarriedTrace(ObservationRegistry observations) {
        this.observations = observations;
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
        ReceiverContext<Map<String, String>> received = new ReceiverContext<>((from, key) -> from.get(PREFIX + key));
        received.setCarrier(carried);
        Observation.createNotStarted("saga.run", () -> received, observations)
                .contextualName("run " + run)
                .lowCardinalityKeyValue("run", run)
                .observe(work);
    }
}
