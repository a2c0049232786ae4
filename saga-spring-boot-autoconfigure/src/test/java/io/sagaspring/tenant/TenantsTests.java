package io.sagaspring.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TenantsTests {

    private final ThreadTenants context = new ThreadTenants("b", "a");
    private final Tenants tenants = Tenants.of(context);

    @Test
    void workRunsInTheContextOfItsTenantAndThePreviousContextIsRestored() {
        String inner = tenants.in("a", () -> tenants.in("b", tenants::current) + tenants.current());

        assertThat(inner).isEqualTo("ba");
        assertThat(tenants.current()).isNull();
        assertThat(tenants.all()).containsExactly("a", "b");
    }

    @Test
    void workWithoutATenantRunsOutsideTheCurrentTenant() {
        String inner = tenants.in("a", () -> tenants.in(null, () -> String.valueOf(tenants.current())));

        assertThat(inner).isEqualTo("null");
    }

    @Test
    void anExceptionOfTheWorkReachesTheCallerUnchanged() {
        IOException thrown = new IOException("of the work");

        assertThatThrownBy(() -> tenants.call("a", () -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(tenants.current()).isNull();
    }

    @Test
    void workForAnUnknownTenantIsNotBegun() {
        AtomicInteger begun = new AtomicInteger();

        assertThatThrownBy(() -> tenants.in("gone", begun::incrementAndGet))
                .isInstanceOf(TenantUnavailableException.class)
                .hasMessageStartingWith("Work for tenant 'gone' was not begun, because ")
                .hasMessageContaining("could not enter the context")
                .hasRootCauseMessage("There is no tenant gone");
        assertThat(begun).hasValue(0);
    }

    @Test
    void workIsNotBegunIfTheContextReportsAnotherTenant() {
        Tenants forgetful = Tenants.of(new ThreadTenants() {
            @Override
            public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
                return work.call();
            }
        });
        AtomicInteger begun = new AtomicInteger();

        assertThatThrownBy(() -> forgetful.in("a", begun::incrementAndGet))
                .isInstanceOf(TenantUnavailableException.class)
                .hasMessageContaining("returned none as the current tenant during the call");
        assertThat(begun).hasValue(0);
    }

    @Test
    void aContextThatDoesNotCallTheWorkIsReported() {
        Tenants lazy = Tenants.of(new ThreadTenants() {
            @Override
            @SuppressWarnings("NullAway") // The context of an application might drop the work in this way.
            public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) {
                return null;
            }
        });

        assertThatThrownBy(() -> lazy.in("a", () -> 1))
                .isInstanceOf(TenantUnavailableException.class)
                .hasMessageContaining("did not call the work");
    }

    @Test
    void aContextThatCallsTheWorkTwiceIsReported() {
        Tenants eager = Tenants.of(new ThreadTenants("a") {
            @Override
            public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
                T unused = super.call(tenant, work);
                return super.call(tenant, work);
            }
        });
        AtomicInteger calls = new AtomicInteger();

        assertThatIllegalStateException()
                .isThrownBy(() -> eager.in("a", calls::incrementAndGet))
                .withMessageContaining("called the work of a tenant twice");
        assertThat(calls).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\u001Fb", "a\0", "\uD800"})
    void aTenantNameThatCannotBeStoredIsRefused(String name) {
        Tenants odd = Tenants.of(new ThreadTenants() {
            @Override
            public String current() {
                return name;
            }

            @Override
            public Collection<String> all() {
                return List.of(name);
            }
        });

        assertThatIllegalStateException()
                .isThrownBy(odd::current)
                .withMessageContaining("Return a name that is not blank, has at most 100 characters");
        assertThatIllegalStateException().isThrownBy(odd::all);
    }

    @Test
    void twoTenantsNeverShareAKey() {
        context.add("a1");

        assertThat(tenants.qualified("11")).isEqualTo("11");
        assertThat(tenants.in("a", () -> tenants.qualified("11"))).isEqualTo("a\u001F11");
        assertThat(tenants.in("a1", () -> tenants.qualified("1"))).isEqualTo("a1\u001F1");
    }

    @Test
    void anApplicationWithoutTenantsRunsItsWorkDirectly() {
        assertThat(Tenants.none().current()).isNull();
        assertThat(Tenants.none().all()).isEmpty();
        assertThat(Tenants.none().in(null, () -> 1)).isEqualTo(1);
        assertThat(Tenants.none().qualified("key")).isEqualTo("key");
        assertThatThrownBy(() -> Tenants.none().in("a", () -> 1))
                .isInstanceOf(TenantUnavailableException.class)
                .hasMessageContaining("Declare a bean of this type");
    }
}
