package com.example.docs.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.schedule.TriggerResult;
import io.sagaspring.test.database.FreshDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
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
class DunningTests {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Autowired
    Schedules schedules;

    @Autowired
    Holiday holiday;

    @Autowired
    Runs runs;

    @Test
    void aPausedScheduleFiresWhenAPersonTriggersIt() {
        await().atMost(LIMIT).until(() -> !schedules.list().isEmpty());
        Instant began = Instant.now();
        holiday.begin("ada");

        TriggerResult result = schedules.trigger("dunning", "ada");

        await().atMost(LIMIT)
                .until(() -> runs.find(Objects.requireNonNull(result.run()))
                        .map(RunView::state)
                        .filter(RunState.COMPLETED::equals)
                        .isPresent());
        assertThat(schedules.list().get(0).paused()).isTrue();
        holiday.end("ada", began);
        assertThat(schedules.list().get(0).paused()).isFalse();
        assertThat(schedules.list().get(0).next()).isAfter(began);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Dunning.class, Reminders.class, Holiday.class})
    static class Application {}
}
