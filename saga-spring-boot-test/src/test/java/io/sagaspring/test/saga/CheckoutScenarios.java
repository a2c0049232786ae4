package io.sagaspring.test.saga;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.saga.Sagas;
import io.sagaspring.tenant.Tenants;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.event.ApplicationEvents;
import org.springframework.test.context.event.RecordApplicationEvents;

/** A fixture for scenarios of a checkout whose steps fail on demand. A subclass chooses the store. */
@RecordApplicationEvents
@ExpectsErrors({"could not be compensated", "Parked run"})
abstract class CheckoutScenarios {

    static final Checkout ORDER = new Checkout("o-1", 100);
    static final Checkout LARGE = new Checkout("o-2", 5_000);

    @Autowired
    SagaScenario scenario;

    @Autowired
    Moods moods;

    @Autowired
    Sagas sagas;

    @Autowired
    Tenants tenants;

    @Autowired
    SagaClock clock;

    @Autowired
    ApplicationEvents events;

    @TestConfiguration
    static class Fakes {

        @Bean
        Moods moods() {
            return new Moods();
        }
    }

    @BeforeEach
    void clearMoods() {
        moods.clear();
    }
}
