package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import io.sagaspring.lease.LeaseStore;
import java.time.Duration;

/** Work of the application under leases: soon nobody will renew them here, and another node is to go on at once. */
record LeasedWork(LeaseStore store, Keeper keeper) implements BackgroundWork {

    private static final Duration TIME_TO_GIVE_UP = Duration.ofSeconds(2);

    @Override
    public void begin() {}

    @Override
    public void end() {}

    /** After the web server: what serves a last request has the time that this takes. */
    @Override
    public void awaitEnd() {
        keeper.interrupt(store);
        keeper.awaitEnd(store, TIME_TO_GIVE_UP);
    }
}
