package io.sagaspring.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A name belongs to the tenant in which it is acquired, unless the caller asks for one lease for all tenants. */
class TenantLeasesTests extends LeasesInMemory {

    private final ThreadTenants context = new ThreadTenants("a", "b");
    private final Tenants tenants = Tenants.of(context);
    private final List<String> heard = new ArrayList<>();
    private final LeaseManager ofTenants = new LeaseManager(
            store,
            keeper,
            "node",
            TTL,
            List.of((name, event) -> heard.add("%s %s in %s".formatted(event, name, context.current()))),
            tenants);

    private Acquisition tryIn(String tenant, LeaseManager manager) {
        return tenants.in(tenant, () -> manager.tryAcquire(NAME));
    }

    private Lease acquiredIn(String tenant) {
        return tenants.in(tenant, () -> ofTenants.acquire(NAME));
    }

    @Test
    void equalNamesOfTwoTenantsIdentifyTwoLeases() {
        Lease ofA = acquiredIn("a");
        Lease ofB = acquiredIn("b");
        Lease ofNone = ofTenants.acquire(NAME);

        assertThat(tryIn("a", ofTenants)).isInstanceOf(Acquisition.AlreadyClaimed.class);
        assertThat(ofTenants.tryAcquire(NAME)).isInstanceOf(Acquisition.AlreadyClaimed.class);
        ofA.close();
        assertThat(ofB.guard().isHeld()).isTrue();
        assertThat(ofNone.guard().isHeld()).isTrue();
        assertThat(tryIn("b", ofTenants)).isInstanceOf(Acquisition.AlreadyClaimed.class);
        assertThat(tryIn("a", ofTenants)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    void workThatOneTenantHasCompletedIsStillOpenForAnotherTenant() {
        Lease ofA = acquiredIn("a");
        Guard completed = tenants.in("a", () -> ofA.complete(Completion.PASSED));

        assertThat(completed).isEqualTo(new Guard.AlreadyPassed(Completion.PASSED));
        assertThat(tryIn("a", ofTenants)).isInstanceOf(Acquisition.AlreadyPassed.class);
        assertThat(tryIn("b", ofTenants)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    void aGlobalLeaseHasOneHolderAmongAllTenants() {
        Lease global = tenants.in("a", () -> ofTenants.global().acquire(NAME));

        assertThat(global.name()).isEqualTo(NAME);
        assertThat(tryIn("b", ofTenants.global())).isInstanceOf(Acquisition.AlreadyClaimed.class);
        assertThat(ofTenants.tryAcquire(NAME)).isInstanceOf(Acquisition.AlreadyClaimed.class);
        assertThat(tryIn("a", ofTenants)).isInstanceOf(Acquisition.Acquired.class);
        assertThat(tenants.in("b", () -> ofTenants.global().guard(NAME, global.token()))
                        .isHeld())
                .isTrue();
        assertThat(tenants.in("b", () -> ofTenants.guard(NAME, global.token())).isHeld())
                .isFalse();
        assertThat(tenants.in("a", global::guard).isHeld()).isTrue();
    }

    /** A lease is often closed in a callback or on another thread, where another tenant or no tenant is current. */
    @Test
    void aLeaseKeepsItsTenantWhereverItIsUsed() {
        Lease ofA = acquiredIn("a");
        Lease ofNone = ofTenants.acquire(NAME);

        for (String elsewhere : List.of("b", "a")) {
            assertThat(tenants.in(elsewhere, ofA::guard).isHeld()).isTrue();
            assertThat(tenants.in(elsewhere, ofA::renew)).isTrue();
            assertThat(tenants.in(elsewhere, ofNone::guard).isHeld()).isTrue();
        }
        ofA.close();

        assertThat(tryIn("a", ofTenants)).isInstanceOf(Acquisition.Acquired.class);
        assertThat(ofNone.guard().isHeld()).isTrue();
    }

    @Test
    void aHeldLeaseIsFoundByItsName() {
        Lease ofA = acquiredIn("a");

        assertThat(ofA.name()).isEqualTo(new LeaseName(NAME.value(), "a"));
        assertThat(ofTenants.guard(ofA.name(), ofA.token()).isHeld()).isTrue();
        assertThat(tenants.in("a", () -> ofTenants.guard(ofA.name(), ofA.token()))
                        .isHeld())
                .isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tenants.in("b", () -> ofTenants.guard(ofA.name(), ofA.token())))
                .withMessageContaining("does not belong to the current tenant, 'b'");
        assertThat(tenants.in("a", () -> ofTenants.reattach(NAME, ofA.token()))).isPresent();
        assertThat(tenants.in("b", () -> ofTenants.reattach(NAME, ofA.token()))).isEmpty();
    }

    /** The keeper's thread has no tenant. */
    @Test
    void aLossIsReportedInTheTenantOfTheLease() {
        Lease ofA = acquiredIn("a");
        tenants.in("a", () -> {
            ofA.onLoss(() -> heard.add("told in " + context.current()));
            return true;
        });
        heard.clear();

        pass(TTL.plusSeconds(1));
        keeper.beat();

        assertThat(ofA.isLost()).isTrue();
        assertThat(heard).containsExactlyInAnyOrder("LOST dunning/loop-1 (tenant a) in a", "told in a");
        assertThat(context.current()).isNull();
    }

    @Test
    void aListenerIsCalledInTheTenantOfTheLease() {
        Lease ofA = acquiredIn("a");
        tryIn("a", ofTenants);
        tenants.in("b", () -> {
            ofA.close();
            return true;
        });

        assertThat(heard)
                .containsExactly(
                        "ACQUIRED dunning/loop-1 (tenant a) in a",
                        "TAKEN dunning/loop-1 (tenant a) in a",
                        "RELEASED dunning/loop-1 (tenant a) in a");
    }

    @Test
    void leaseNamesOfDifferentTenantsNeverHaveTheSameText() {
        List<LeaseName> names = List.of(
                new LeaseName("b/c", "a"), new LeaseName("c", "a/b"), new LeaseName("a/b/c"), new LeaseName("c", "a"));

        assertThat(names.stream().map(LeaseName::text)).doesNotHaveDuplicates();
        assertThat(names.stream().map(LeaseName::text).map(LeaseName::read)).isEqualTo(names);
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName("a\u001Fb"));
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName("b", "a\u001F"));
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName("b", ""));
    }
}
