package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the keys in a queue of runs whose input a later start replaces, for runs of several tenants. */
class ReplacedRunsOfTenantsTests extends RunsOnPostgres {

    /** The name of the queue, the tenant and the key are as long as possible, and take as many bytes as possible in the index. */
    private static final String QUEUE = "€".repeat(100);

    private static final String LONG_TENANT = "€".repeat(99);
    private static final String LONG_KEY = "€".repeat(500);

    private static final Map<String, String> SPECIAL = Map.of(
            "long key",
            LONG_KEY,
            "long tenant 1",
            LONG_TENANT + "1",
            "long tenant 2",
            LONG_TENANT + "2",
            "x, then separator, then k",
            "x\u001Fk");

    private final Tenants tenants =
            Tenants.of(new ThreadTenants("x", "x:y", "y", LONG_TENANT + "1", LONG_TENANT + "2"));

    private RunNode openNode() {
        return added(RunNode.on(schema, connections, "node-" + nodes.size())
                        .tenants(tenants)
                        .queues(RunQueue.named(QUEUE).atOnce(4).atOnceForEach(1).keepsPermits())
                        .tales(tale((run, input) -> {
                            if (input.equals("waits")) {
                                effect(run.awaitSignal("go", String.class));
                            }
                            return effect(input);
                        })))
                .opened();
    }

    private RunHandle<String> start(RunNode node, String input, @Nullable String tenant, String key) {
        String text = SPECIAL.getOrDefault(key, key);
        return tenants.in(
                tenant == null ? null : SPECIAL.getOrDefault(tenant, tenant),
                () -> node.runs.start(
                        Tale.class, input, RunOptions.withKey(text).orReplace().in(QUEUE)));
    }

    @ParameterizedTest
    @CsvSource({
        "x, k, y, k",
        "x:y, z, x, y:z",
        "x, k, , k",
        "x, k, , x:k",
        "x, k, , 'x, then separator, then k'",
        "x, long key, y, long key",
        "long tenant 1, long key, long tenant 2, long key",
        "long tenant 1, long key, , long key"
    })
    void aRunWaitsOnlyForRunsOfItsKeyAndTenant(
            String firstTenant, String firstKey, @Nullable String otherTenant, String otherKey) throws Exception {
        RunNode node = openNode();
        RunId first = start(node, "waits", firstTenant, firstKey).id();
        awaitState(node, first, RunState.WAITING);
        RunHandle<String> next = start(node, "next", firstTenant, firstKey);

        RunHandle<String> other = start(node, "other", otherTenant, otherKey);

        assertThat(other.await(SOON)).isEqualTo("other");
        assertThat(stateOf(node, next.id())).isEqualTo(RunState.PENDING);
        SignalResult unused = node.runs.signal(first, "go", "signalled");
        assertThat(next.await(SOON)).isEqualTo("next");
        assertThat(effects).containsExactly("other", "signalled", "waits", "next");
    }

    /** Otherwise, a run of another tenant could wait for a run that was started with this key. */
    @Test
    void aKeyOfTheApplicationNeverContainsATenant() {
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> RunOptions.none().in(QUEUE).of("\u0001x\u001Fk"))
                .withMessage(
                        "The key of a run within its queue begins with the control character 1, which is reserved. Begin the key with another character.");
    }
}
