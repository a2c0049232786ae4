package io.sagaspring.janitor;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * A janitor that sweeps every {@code saga.janitor.interval}, on a thread that only the janitors share. Extend this
 * class and annotate your class with {@link ClaimJanitor}. Nothing else is needed.
 *
 * <p>After a crash an entity is free again after at most {@code saga.janitor.stuck-after} plus {@code
 * saga.janitor.interval}, plus the duration of the sweep itself.
 *
 * @since 0.1.0
 */
public abstract class ScheduledClaimJanitor {

    private static final Logger logger = LoggerFactory.getLogger(ScheduledClaimJanitor.class);

    /**
     * One sweep for each application context that has found this janitor: the janitor's own context and its child
     * contexts.
     */
    private final List<Sweep> sweeps = new CopyOnWriteArrayList<>();

    /** Creates a janitor. Its sweep is added when the application starts. */
    protected ScheduledClaimJanitor() {}

    /**
     * Sweeps the home database if the interval has elapsed. The scheduler calls this method. A failure does not end the
     * schedule. Other threads of the library sweep the tenants' databases.
     */
    @Scheduled(
            initialDelayString = "#{@sagaJanitorTick}",
            fixedDelayString = "#{@sagaJanitorTick}",
            scheduler = "sagaJanitorScheduler")
    public void sweep() {
        for (Sweep sweep : sweeps) {
            try {
                sweep.runIfDue();
            } catch (Throwable failed) {
                logFailure(sweep, failed);
            }
        }
    }

    /**
     * Logs a failure, and throws nothing: an exception would end the schedule. Logging itself may run out of memory.
     */
    private static void logFailure(Sweep sweep, Throwable failed) {
        try {
            logger.error("The sweep of module '{}' failed. The next sweep will try again", sweep.module(), failed);
        } catch (Throwable notLogged) {
            return;
        }
    }

    /**
     * Called after the commit for each entity that was freed. Override this method to react. An exception that it
     * throws is logged.
     *
     * @param claim the freed entity and its former claim
     */
    protected void recovered(ClaimRecovered claim) {}

    final void bind(Sweep to) {
        sweeps.add(to);
    }
}
