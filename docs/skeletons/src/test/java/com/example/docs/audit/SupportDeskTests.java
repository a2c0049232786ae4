package com.example.docs.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.operations.OperationPerformed.Outcome;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.Runs;
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
class SupportDeskTests {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Autowired
    SupportDesk desk;

    @Autowired
    Runs runs;

    @Test
    void theHistoryOfARunShowsWhatPeopleDidToIt() throws Exception {
        RunId run = runs.start(Parcel.class, "p-1").id();

        assertThat(desk.cancel(run, "the customer called", "ada")).contains("is being cancelled");
        assertThat(runs.awaitEnd(run, LIMIT)).isTrue();
        assertThat(desk.cancel(run, "the customer called again", "bob")).contains("It has already ended");

        assertThat(desk.history(run))
                .extracting(
                        each -> each.operation().operator().name(),
                        each -> each.operation().outcome())
                .containsExactly(tuple("bob", Outcome.REFUSED), tuple("ada", Outcome.ACCEPTED));
    }

    static final class Parcel implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String input) {
            return run.awaitSignal("delivered", String.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({SupportDesk.class, Parcel.class})
    static class Application {}
}
