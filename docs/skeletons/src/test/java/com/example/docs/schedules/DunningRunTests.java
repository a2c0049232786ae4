package com.example.docs.schedules;

import io.sagaspring.test.saga.RunScenario;
import io.sagaspring.test.saga.SagaTest;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SagaTest(runs = Dunning.class)
class DunningRunTests {

    private static final Instant NIGHT = Instant.parse("2026-11-25T01:30:00Z");

    @Autowired
    RunScenario scenario;

    @MockitoBean
    Reminders reminders;

    @Test
    void firingAnInstantTwiceSendsOneReminder() {
        scenario.fire("dunning", NIGHT);
        scenario.fire("dunning", NIGHT).then().isCompleted().hasStep("remind").wasCalled(1);
    }
}
