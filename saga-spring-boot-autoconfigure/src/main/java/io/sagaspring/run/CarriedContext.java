package io.sagaspring.run;

import io.sagaspring.tenant.Tenants;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Carries the context of the caller that starts a run, such as the tenant, the log context and the trace, to the node
 * that executes the run. Only the tenant is mandatory: a run is never executed outside its tenant.
 */
final class CarriedContext {

    private static final Logger logger = LoggerFactory.getLogger(CarriedContext.class);

    private static final String RUN = "saga.run";

    private final Payloads payloads;
    private final List<RunCarrier> carriers;
    private final Tenants tenants;

    CarriedContext(Payloads payloads, List<RunCarrier> carriers, Tenants tenants) {
        this.payloads = payloads;
        this.tenants = tenants;
        this.carriers = List.copyOf(carriers);
    }

    /** Captures the caller's context. Returns null if there is none, which is the case for most runs. */
    @Nullable
    StoredValue captured() {
        Map<String, String> carried = new TreeMap<>();
        carriers.forEach(each -> safely(() -> each.capture(carried)));
        return carried.isEmpty() ? null : payloads.write(carried);
    }

    /** Returns the tenant of the caller, or null. */
    @Nullable
    String tenant() {
        return tenants.current();
    }

    /**
     * Executes work in the run's tenant, with the carried context. The tenant is entered first, because a carrier may
     * need it.
     *
     * @throws io.sagaspring.tenant.TenantUnavailableException if the tenant cannot be restored; then the work was not executed
     */
    void with(PickedUpRun pickedUp, Runnable work) {
        tenants.run(pickedUp.tenant(), () -> withCarried(pickedUp, work));
    }

    private void withCarried(PickedUpRun pickedUp, Runnable work) {
        Map<String, String> carried = read(pickedUp);
        Runnable around = () -> named(pickedUp.runLease().id(), work);
        for (RunCarrier each : carriers) {
            Runnable inner = around;
            around = () -> each.restore(carried, pickedUp.run(), inner);
        }
        around.run();
    }

    /**
     * Executes work with the run's id in the log context. The id is set last, because the carried log context may
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
