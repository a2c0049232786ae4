package io.sagaspring.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.lease.LeaseStore.Attempt;
import io.sagaspring.lease.LeaseStore.Found;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests that a store of leases keeps the names of tenants apart. */
abstract class LeaseStoreContractForTenants {

    static final Duration TTL = Duration.ofMinutes(1);

    static final RenewableLeases.Connecting NO_CONNECTION = () -> {
        throw new SQLException("This store has been given no connection.");
    };

    /** Returns the store, as one process sees it. */
    protected abstract LeaseStore store();

    /** Returns a store with the same leases, as another process sees them. */
    protected abstract LeaseStore another();

    /** Returns the source of the keeper's connection. */
    protected RenewableLeases.Connecting connecting() {
        return NO_CONNECTION;
    }

    static Attempt attempt() {
        return new Attempt(UUID.randomUUID(), "node", TTL);
    }

    /** If a store identified a lease only by the value of its name, one tenant could end the lease of another. */
    @Test
    public void equalNamesOfTwoTenantsIdentifyDifferentLeases() throws Exception {
        LeaseName ofNone = LeaseName.of("contract", UUID.randomUUID().toString());
        LeaseName ofA = new LeaseName(ofNone.value(), "a");
        LeaseName ofB = new LeaseName(ofNone.value(), "b");
        HeldLease heldOfNone = acquired(store(), ofNone);
        HeldLease heldOfA = acquired(store(), ofA);
        HeldLease heldOfB = acquired(another(), ofB);

        assertThat(store().renew(connecting(), Set.of(heldOfA, heldOfNone)))
                .containsExactlyInAnyOrder(heldOfA, heldOfNone);
        assertThat(store().stillHeld(connecting(), Set.of(heldOfA))).containsExactly(heldOfA);
        assertThat(store().complete(ofA, heldOfA.token(), Completion.PASSED)).isTrue();
        assertThat(another().find(ofA)).map(Found::completion).contains(Completion.PASSED);
        assertThat(another().find(ofB)).map(Found::completion).isEmpty();
        assertThat(another().release(ofB, heldOfB.token())).isTrue();
        assertThat(another().renew(ofNone, heldOfNone.token())).isTrue();
        assertThat(acquired(another(), ofB).token()).isGreaterThan(heldOfB.token());
    }

    private static HeldLease acquired(LeaseStore store, LeaseName name) {
        Attempt attempt = attempt();
        Found found = store.acquire(name, attempt);
        assertThat(found.attempt()).isEqualTo(attempt.id());
        return new HeldLease("lease", name.text(), found.token());
    }
}
