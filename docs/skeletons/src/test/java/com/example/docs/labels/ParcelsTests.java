package com.example.docs.labels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.run.SignalResult;
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
class ParcelsTests {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Autowired
    Parcels parcels;

    @Autowired
    Runs runs;

    @Test
    void parcelsOnTheWayAreFoundByCustomerAndCountedByCarrier() {
        RunId one = parcels.ship("p-1", "c-1");
        RunId two = parcels.ship("p-22", "c-1");
        RunId other = parcels.ship("p-3", "c-2");
        await().atMost(LIMIT)
                .until(() -> parcels.onTheWay("c-1", null).size() == 2
                        && parcels.onTheWay("c-2", null).size() == 1);

        assertThat(parcels.onTheWay("c-1", null))
                .extracting(RunView::id)
                .containsExactlyInAnyOrder(one, two)
                .doesNotContain(other);
        assertThat(parcels.with("dhl")).isEqualTo(new RunCount(1, false));
        assertThat(parcels.onTheWay("c-2", other)).isEmpty();
        assertThat(runs.find(one).orElseThrow().labels())
                .containsEntry("customer", "c-1")
                .containsEntry("carrier", "ups");

        assertThat(runs.signal(one, "delivered", "p-1", "Ada")).isEqualTo(SignalResult.ACCEPTED);

        await().atMost(LIMIT).until(() -> parcels.onTheWay("c-1", null).size() == 1);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ShipParcel.class, Parcels.class, Courier.class})
    static class Application {}
}
