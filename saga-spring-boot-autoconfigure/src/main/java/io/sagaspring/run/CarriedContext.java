package io.sagaspring.run;

import io.sagaspring.tenant.Tenants;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Carries a caller's context, such as the tenant, the log context and the trace, to the node that does the work. The
 * caller starts a run or publishes an event, and that node executes the run or calls the durable listener. Only the
 * tenant is mandatory: the code is never executed outside its tenant.
 *
 * @since 0.1.0
 */
public final class CarriedContext {

    private static final Logger logger = LoggerFactory.getLogger(CarriedContext.class);

    private static final String RUN = "saga.run";

    /** The name under which the definition of a run's code is carried. */
    private static final String DEFINITION = "saga.definition";

    private final Payloads payloads;
    private final List<RunCarrier> carriers;
    private final Tenants tenants;

    /**
     * Creates a carrier of all parts of the context.
     *
     * @param payloads the component that writes and reads the stored context
     * @param carriers the carriers of the optional parts
     * @param tenants the tenants of the application
     */
    public CarriedContext(Payloads payloads, List<RunCarrier> carriers, Tenants tenants) {
        this.payloads = payloads;
        this.tenants = tenants;
        this.carriers = List.copyOf(carriers);
    }

    /**
     * Captures the caller's context.
     *
     * @param definition the definition of the code that is to be executed, or null for none
     * @return the context, or null if no carrier has captured anything and there is no definition
     */
    public @Nullable StoredValue captured(@Nullable String definition) {
        Map<String, String> carried = new TreeMap<>();
        carriers.forEach(each -> safely(() -> each.capture(carried)));
        if (definition != null) {
            carried.put(DEFINITION, definition);
        }
        return carried.isEmpty() ? null : payloads.write(carried);
    }

    /**
     * Returns the tenant of the caller.
     *
     * @return the tenant, or null if there is none
     */
    public @Nullable String tenant() {
        return tenants.current();
    }

    /**
     * Returns the definition that the run was started with, or null if it has none.
     *
     * @throws RuntimeException if the carried context cannot be read
     */
    @Nullable
    String definition(PickedUpRun pickedUp) {
        StoredValue carried = pickedUp.carried();
        return carried == null ? null : payloads.readTexts(carried).get(DEFINITION);
    }

    /**
     * Executes work in the run's tenant, with the carried context. The tenant is entered first, because a carrier may
     * need it.
     *
     * @throws io.sagaspring.tenant.TenantUnavailableException if the tenant cannot be restored; then the work was not executed
     */
    void with(PickedUpRun pickedUp, Runnable work) {
        RunId id = pickedUp.runLease().id();
        tenants.run(pickedUp.tenant(), () -> {
            Map<String, String> carried = read(pickedUp.carried(), pickedUp.runLease());
            withCarried(() -> named(id, work), (carrier, inner) -> carrier.restore(carried, pickedUp.run(), id, inner));
        });
    }

    /**
     * Executes work in its tenant, with the carried context. The tenant is the outermost part, because a carrier may need it.
     *
     * @param tenant the tenant, or null
     * @param stored the captured context, or null
     * @param name the name of the run or listener, for the carriers
     * @param work the work
     * @throws io.sagaspring.tenant.TenantUnavailableException if the tenant cannot be restored; then the work was not executed
     */
    public void with(@Nullable String tenant, @Nullable StoredValue stored, String name, Runnable work) {
        tenants.run(tenant, () -> {
            Map<String, String> carried = read(stored, name);
            withCarried(work, (carrier, inner) -> carrier.restore(carried, name, inner));
        });
    }

    private void withCarried(Runnable work, BiConsumer<RunCarrier, Runnable> restore) {
        Runnable around = work;
        for (RunCarrier each : carriers) {
            Runnable inner = around;
            around = () -> restore.accept(each, inner);
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

    /** Reads the carried context. The context is optional: if it cannot be read, the code is executed without it. */
    private Map<String, String> read(@Nullable StoredValue stored, Object owner) {
        try {
            return stored == null ? Map.of() : payloads.readTexts(stored);
        } catch (RuntimeException unreadable) {
            logger.warn("The carried context of {} cannot be read. The code is executed without it", owner, unreadable);
            return Map.of();
        }
    }

    private static void safely(Runnable carrier) {
        try {
            carrier.run();
        } catch (RuntimeException failed) {
            logger.warn("A RunCarrier failed. Its context is not carried into the run or the delivery", failed);
        }
    }
}
