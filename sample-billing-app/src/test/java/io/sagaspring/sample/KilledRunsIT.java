package io.sagaspring.sample;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.SampleProcesses.Sample;
import io.sagaspring.sample.payouts.PayoutCalls;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that another process continues the runs and the schedules of a killed process. */
@Tag("chaos")
class KilledRunsIT {

    /** The delay of a transfer that the killed process does not complete, even if the other process starts slowly. */
    private static final String LONG = "delay:240000";

    @AutoClose
    private final SampleProcesses processes;

    KilledRunsIT(@TempDir Path temporary) {
        this.processes = new SampleProcesses(temporary);
    }

    /** The kill causes no gap in the fired instants. A tick that the killed process may have made is not repeated. */
    @Test
    void theOtherProcessFiresEachInstantOnceAfterAKill() throws Exception {
        String[] ticking = {"--sample.tick.every=1s", "--saga.schedules.poll-interval=100ms"};
        try (TestDatabase database = TestDatabase.create()) {
            Sample killed = processes.start(SampleProcesses.on(database), ticking);
            Sample survivor = processes.start(SampleProcesses.on(database), ticking);
            Api api = new Api(survivor.port());
            int together = ticks(api).size() + 3;
            await().atMost(30, SECONDS).until(() -> ticks(api).size() >= together);
            Instant before = lastFiring(api);

            killed.kill();
            Instant last = lastFiring(api);
            await().atMost(30, SECONDS)
                    .until(() -> ticks(api).stream()
                            .map(Instant::parse)
                            .anyMatch(each -> each.isAfter(last.plusSeconds(5))));

            assertThat(ticks(api)).doesNotHaveDuplicates();
            List<Instant> fired = FiredTicks.of(database).stream()
                    .filter(each -> !each.isBefore(before))
                    .toList();
            assertThat(fired).hasSizeGreaterThan(5);
            for (int each = 1; each < fired.size(); each++) {
                assertThat(fired.get(each)).isEqualTo(fired.get(each - 1).plusSeconds(1));
            }
        }
    }

    private static List<String> ticks(Api api) {
        return api.get("/api/effects?kind=tick").texts("ref");
    }

    private static Instant lastFiring(Api api) {
        return Instant.parse(api.get("/api/schedules").body().at("/0/last").asString());
    }

    @Test
    void theOtherProcessCompletesThePayoutsOfAKilledProcessWithinTheLimit() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            String lease = "--saga.runs.lease-ttl=5s";
            Sample killed = processes.start(SampleProcesses.on(database), lease);
            Api api = new Api(killed.port());
            PayoutCalls payouts = new PayoutCalls(api);
            List<String> first = new ArrayList<>();
            // The first payouts execute on the process that is killed, because there is no other process yet.
            for (int each = 0; each < 4; each++) {
                first.add(payouts.started("t" + each, "killed-" + each, "\"transfer\":\"%s\"".formatted(LONG)));
            }
            await().atMost(30, SECONDS).until(() -> payouts.mostAtOnce("killed-") == 4);
            PayoutCalls survivor = new PayoutCalls(
                    new Api(processes.start(SampleProcesses.on(database), lease).port()));
            List<String> next = new ArrayList<>();
            for (int each = 4; each < 8; each++) {
                next.add(survivor.started("t" + each, "killed-" + each, ""));
            }
            killed.kill();
            // The survivor repeats the transfers. They need not be slow again.
            int quickened = JdbcClient.create(database.dataSource())
                    .sql(
                            "UPDATE saga_run SET input = convert_to(replace(convert_from(input, 'UTF8'), ?, 'delay:1'), 'UTF8') WHERE ended_at IS NULL")
                    .param(LONG)
                    .update();
            assertThat(quickened).isEqualTo(8);

            for (String payout : first) {
                survivor.awaitState(payout, "completed");
            }
            for (String payout : next) {
                survivor.awaitState(payout, "completed");
            }
            assertThat(survivor.mostAtOnce("killed-")).isEqualTo(4);
            List<String> effects = survivor.effects("killed-");
            for (int each = 0; each < 4; each++) {
                assertThat(effects)
                        .containsSubsequence(
                                "payout_begin killed-" + each, "payout_begin killed-" + each, "payout killed-" + each)
                        .containsOnlyOnce("payout killed-" + each);
            }
        }
    }
}
