package io.sagaspring.run;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** What surrounds the start of a run, and is to surround it wherever it goes on: log context, trace, and what else is carried. */
final class CarriedContext {

    private static final Logger logger = LoggerFactory.getLogger(CarriedContext.class);

    private static final String RUN = "saga.run";

    private final Payloads payloads;
    private final List<RunCarrier> carriers;

    CarriedContext(Payloads payloads, List<RunCarrier> carriers) {
        this.payloads = payloads;
        this.carriers = List.copyOf(carriers);
    }

    /** Null if there is nothing: most runs are started by nobody in particular. */
    @Nullable
    StoredValue captured() {
        Map<String, String> carried = new TreeMap<>();
        carriers.forEach(each -> safely(() -> each.capture(carried)));
        return carried.isEmpty() ? null : payloads.write(carried);
    }

    void with(PickedUpRun taken, Runnable work) {
        Map<String, String> carried = read(taken);
        Runnable around = () -> named(taken.runLease().id(), work);
        for (RunCarrier each : carriers) {
            Runnable inner = around;
            around = () -> each.restore(carried, taken.run(), inner);
        }
        around.run();
    }

    /** Inside the others: who started it may have been a run, whose id is carried with its log context. */
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

    /** It is a courtesy: a run whose surroundings cannot be read goes on without. */
    private Map<String, String> read(PickedUpRun taken) {
        StoredValue stored = taken.carried();
        try {
            return stored == null ? Map.of() : payloads.readTexts(stored);
        } catch (RuntimeException unreadable) {
            logger.warn("What surrounded the start of {} cannot be read", taken.runLease(), unreadable);
            return Map.of();
        }
    }

    private static void safely(Runnable carrier) {
        try {
            carrier.run();
        } catch (RuntimeException failed) {
            logger.warn("Part of what surrounds a run is not carried into it", failed);
        }
    }
}
