package io.sagaspring.janitor;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * A janitor that sweeps every {@code saga.janitor.interval}, on a thread that all janitors share and nobody else uses.
 * Extend it, annotate it with {@link ClaimJanitor}, and there is nothing else to do.
 *
 * <p>After a crash an entity is free again at the latest after {@code saga.janitor.stuck-after} plus {@code
 * saga.janitor.interval}, plus what the sweep itself takes.
 *
 * @since 0.1.0
 */
public abstract class ScheduledClaimJanitor {

    private static final Logger logger = LoggerFactory.getLogger(ScheduledClaimJanitor.class);

    /** One for each context that has found this janitor: a parent's may serve its children, too. */
    private final List<Sweep> sweeps = new CopyOnWriteArrayList<>();

    /** For janitors of the application. */
    protected ScheduledClaimJanitor() {}

    /** Frees what is stuck, if it is time. Called by the scheduler; whatever fails must not end the schedule. */
    @Scheduled(
            initialDelayString = "#{@sagaJanitorTick}",
            fixedDelayString = "#{@sagaJanitorTick}",
            scheduler = "sagaJanitorScheduler")
    public void sweep() {
        for (Sweep sweep : sweeps) {
            try {
                sweep.runIfTime();
            } catch (Throwable failed) {
                tell(sweep, failed);
            }
        }
    }

    /** A schedule ends with what is thrown from here. Logging is the first thing to fail when the memory is used up. */
    private static void tell(Sweep sweep, Throwable failed) {
        try {
            logger.error("The sweep of module '{}' failed; the next one will try again", sweep.module(), failed);
        } catch (Throwable untold) {
            return;
        }
    }

    /**
     * Told of each entity that was freed, after its commit. What it throws is logged.
     *
     * @param claim what was freed
     */
    protected void recovered(ClaimRecovered claim) {}

    final void bind(Sweep to) {
        sweeps.add(to);
    }
}
