package io.sagaspring.run;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Carries the caller's context, such as log context and trace, from the start of a run to the node that executes it.
 */
final class CarriedContext {

    private static final Logger logger = LoggerFactory.getLogger(CarriedContext.class);

    private static final String RUN = "saga.run";

    private final Payloads payloads;
    private final List<RunCarrier> carriers;

    CarriedContext(Payloads payloads, List<RunCarrier> carriers) {
        this.payloads = payloads;
        this.carriers = List.copyOf(carriers);
    }

    /** Captures the caller's context. Returns null if there is none, which is the case for most runs. */
    @Nullable
    StoredValue captured() {
        Map<String, String> carried = new TreeMap<>();
        carriers.forEach(each -> safely(() -> each.capture(carried)));
        return carried.isEmpty() ? null : payloads.write(carried);
    }

    void with(PickedUpRun pickedUp, Runnable work) {
        Map<String, String> carried = read(pickedUp);
        Runnable around = () -> named(pickedUp.runLease().id(), work);
        for (RunCarrier each : carriers) {
            Runnable inner = around;
            around = () -> each.restore(carried, pickedUp.run(), inner);
        }
        around.run();
    }

    /**
     * Executes work with the run's id in the log context. The id is set innermost, because the carried log context may
     * contain the id of another run that started this one.
     */
    private static void named(RunId id, Runnable work) {
        String before = MDC.get(RUN);
        MDC.put(RUN, id.toString());
        try {
            work.run();
        } finally {
            if (before == null) {
                MDC.remove(RUN);
            } else {
                MDC.put(RUN, before);
            }
        }
    }

    /** Reads the carried context. The context is optional: if it cannot be read, the run is executed without it. */
    private Map<String, String> read(PickedUpRun pickedUp) {
        StoredValue stored = pickedUp.carried();
        try {
            return stored == null ? Map.of() : payloads.readTexts(stored);
        } catch (RuntimeException unreadable) {
            logger.warn(
                    "The carried context of {} cannot be read. The run is executed without it",
                    pickedUp.runLease(),
                    unreadable);
            return Map.of();
        }
    }

    private static void safely(Runnable carrier) {
        try {
            carrier.run();
        } catch (RuntimeException failed) {
            logger.warn("A RunCarrier failed. Its context is not carried into the run", failed);
        }
    }
}
