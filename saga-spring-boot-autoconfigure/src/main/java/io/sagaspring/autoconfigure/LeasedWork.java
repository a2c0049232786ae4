package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.lease.LeaseStore;
import java.time.Duration;
import java.util.function.Predicate;
import org.springframework.context.SmartLifecycle;

/**
 * The application's work under leases. When the node closes, the work is interrupted, so that it releases its leases
 * and another node can continue immediately.
 *
 * <p>{@link WorkLifecycle} interrupts the work outside web requests before the web server drains its requests. The work
 * of web requests continues during the drain. {@link #stop} interrupts the work that has not ended when the time for
 * the drain is over.
 */
final class LeasedWork implements BackgroundWork, SmartLifecycle {

    private static final Duration TIME_TO_RELEASE = Duration.ofSeconds(2);

    /**
     * The phase between the drain of the web server, {@code DEFAULT_PHASE - 1024}, and its stop, {@code DEFAULT_PHASE -
     * 2048}.
     */
    private static final int AFTER_THE_DRAIN = DEFAULT_PHASE - 1536;

    private final LeaseStore store;
    private final Keeper keeper;
    private volatile boolean running;

    LeasedWork(LeaseStore store, Keeper keeper) {
        this.store = store;
        this.keeper = keeper;
    }

    @Override
    public void begin() {}

    @Override
    public void end() {}

    @Override
    public void awaitEnd() {
        interrupt(hold -> isOurs(hold) && !hold.isOfRequest());
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        interrupt(this::isOurs);
        running = false;
    }

    private void interrupt(Predicate<Hold> which) {
        keeper.interrupt(which);
        keeper.awaitEnd(which, TIME_TO_RELEASE);
    }

    private boolean isOurs(Hold hold) {
        return hold.table() == store;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Returns false, like the web server, because the server's requests hold leases. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return AFTER_THE_DRAIN;
    }
}
