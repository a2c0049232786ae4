package com.example.docs.queues;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.docs.queues.Payouts.Payout;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.test.database.FreshDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

@SpringBootTest
@TestPropertySource(
        properties = {"spring.config.name=none", "spring.main.web-application-type=none", "spring.flyway.enabled=false"
        })
@FreshDatabase
class MerchantsTests {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Autowired
    Merchants merchants;

    @Autowired
    Maintenance maintenance;

    @Autowired
    Runs runs;

    @Test
    void aPayoutWaitsUntilTheMaintenanceEnds() throws Exception {
        assertThat(maintenance.begins("ada")).isTrue();
        RunHandle<String> payout = merchants.payOut(new Payout("m-1", "p-1", 500));

        QueueDepth during = runs.queue("psp").depth();
        assertThat(during.isPaused()).isTrue();
        assertThat(during.waiting()).isEqualTo(1);

        assertThat(maintenance.ends("ada")).isTrue();

        assertThat(payout.await(LIMIT)).startsWith("500 paid to m-1");
        assertThat(runs.queue("psp").depth().limits())
                .isEqualTo(QueueLimits.atOnce(10).atOnceForEach(1));
        assertThat(merchants.payOut(new Payout("m-1", "p-1", 500)).isNew()).isFalse();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Payouts.class, Merchants.class, Maintenance.class})
    static class Application {}
}
