package io.sagaspring.sample.payouts;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleNodes;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Two instances of the sample share the queue 'psp'. */
class PayoutNodesTests {

    private static final String[] QUICK = {"--saga.runs.poll-interval=100ms", "--sample.payouts.at-once=3"};

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    @Test
    void theLimitOfTheQueueAppliesAcrossBothInstances() {
        try (ConfigurableApplicationContext one = SampleNodes.start(database, QUICK);
                ConfigurableApplicationContext two = SampleNodes.start(database, QUICK)) {
            List<PayoutCalls> calls =
                    List.of(new PayoutCalls(SampleNodes.api(one)), new PayoutCalls(SampleNodes.api(two)));
            List<String> started = new ArrayList<>();
            for (int each = 0; each < 16; each++) {
                String tenant = "t" + each % 8;
                started.add(calls.get(each % 2).started(tenant, "p-" + each, "\"transfer\":\"delay:200\""));
            }
            started.forEach(payout -> calls.get(0).awaitState(payout, "completed"));

            assertThat(calls.get(1).mostAtOnce("p-")).isBetween(2, 3);
            List<String> effects = calls.get(1).effects("p-");
            for (int first = 0; first < 8; first++) {
                assertThat(effects).containsSubsequence("payout p-" + first, "payout_begin p-" + (first + 8));
            }
        }
    }

    @Test
    void aPauseTakesEffectOnEveryInstance() {
        try (ConfigurableApplicationContext one = SampleNodes.start(database, QUICK);
                ConfigurableApplicationContext two = SampleNodes.start(database, QUICK)) {
            Api first = SampleNodes.api(one);
            Api second = SampleNodes.api(two);

            assertThat(first.post("/api/queues/psp/pause", "{\"reason\":\"psp maintenance\"}")
                            .status())
                    .isEqualTo(200);
            String payout = new PayoutCalls(second).started("t1", "paused", "");
            assertThat(second.get("/api/queues/psp").raw())
                    .isEqualTo("{\"name\":\"psp\",\"paused\":true,\"atOnce\":3,\"inUse\":0,\"waiting\":1}");
            assertThat(new PayoutCalls(first).effects("paused")).isEmpty();

            assertThat(second.post("/api/queues/psp/resume", "").status()).isEqualTo(200);
            new PayoutCalls(first).awaitState(payout, "completed");
        }
    }
}
