package io.sagaspring.test.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.SagaQuery;
import io.sagaspring.saga.Sagas;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@SagaTest(
        value = {CheckoutSaga.class, SagaTestInMemoryTests.BulkSaga.class},
        classes = CheckoutScenarios.Fakes.class)
class SagaTestInMemoryTests extends SagaScenarioContract {

    @Autowired
    ObjectProvider<DataSource> dataSources;

    @Test
    void anInMemorySagaTestHasNoDataSource() {
        assertThat(dataSources).isEmpty();
    }

    @Test
    void theClockMovesOnlyAsFarAsTheTestMovesIt() {
        Clock before = Clock.fixed(clock.instant(), clock.getZone());

        scenario.given(CheckoutSaga.class, new Checkout("o-9", 1)).whenStarted().timePasses(Duration.ofMinutes(3));

        assertThat(clock.instant()).isEqualTo(before.instant().plusSeconds(180));
    }

    @Test
    void aStepThatMovesTheClockFails() {
        moods.does("charge_card", () -> clock.advance(Duration.ofSeconds(1)));

        scenario.given(CheckoutSaga.class, new Checkout("o-7", 1))
                .whenStarted()
                .timePasses(Duration.ofMinutes(1))
                .then()
                .isFailedWith(IllegalStateException.class)
                .hasStep("charge_card")
                .failed()
                .afterAttempts(3);
    }

    /** Starts other sagas through the injected {@link Sagas}. */
    static class BulkSaga implements Saga<List<Checkout>> {

        private final Sagas sagas;

        BulkSaga(Sagas sagas) {
            this.sagas = sagas;
        }

        @Override
        public void define(SagaDefinition<List<Checkout>> saga) {
            saga.step("start_each", context -> {
                for (Checkout each : context.input()) {
                    var unused = sagas.start(CheckoutSaga.class, each);
                }
                return null;
            });
        }
    }

    @Test
    void sagasStartedByASagaAreExecutedToo() {
        var bulk = scenario.given(BulkSaga.class, List.of(new Checkout("o-4", 1), new Checkout("o-5", 1)))
                .whenStarted();

        bulk.then().isCompleted();
        assertThat(sagas.list(SagaQuery.of(CheckoutSaga.class).in(RunState.WAITING)))
                .hasSize(2);
    }

    /** Checks that the settings of the application apply in a scenario. */
    @Nested
    @SagaTest(
            value = CheckoutSaga.class,
            classes = CheckoutScenarios.Fakes.class,
            properties = {"saga.runs.lease-ttl=5s", "saga.runs.max-attempts=2"})
    class WithSettings {

        @Test
        void anExecutionWhoseNodesCrashRepeatedlyIsParked(@Autowired SagaScenario ours) {
            ours.given(CheckoutSaga.class, new Checkout("o-6", 1))
                    .crashesBefore("charge_card")
                    .crashesBefore("charge_card")
                    .whenStarted()
                    .resumed()
                    .timePasses(Duration.ofSeconds(4))
                    .then()
                    .hasState(RunState.RUNNING)
                    .when()
                    .resumed()
                    .then()
                    .hasState(RunState.PARKED)
                    .when()
                    .retried()
                    .then()
                    .isWaiting();
        }
    }

    /** A nested test class uses the context of its outer class. */
    @Nested
    class Within {

        @Autowired
        Clock anyClock;

        @Test
        void aNestedTestClassUsesTheSameClock() {
            assertThat(anyClock).isSameAs(clock);
        }
    }

    /** The application uses its own clock, and the engine uses the test's clock. */
    @Nested
    @SagaTest(value = CheckoutSaga.class, classes = CheckoutScenarios.Fakes.class)
    class WithAClockOfTheApplication {

        @Autowired
        Clock anyClock;

        @TestConfiguration
        static class OwnClock {

            @Bean
            Clock applicationClock() {
                return Clock.systemUTC();
            }
        }

        @Test
        void anApplicationCanHaveItsOwnClock(@Autowired SagaScenario ours) {
            assertThat(anyClock).isNotInstanceOf(SagaClock.class);
            ours.given(CheckoutSaga.class, new Checkout("o-8", 1))
                    .whenStarted()
                    .completed("arrange_fulfillment", Map.of())
                    .then()
                    .isCompleted();
        }
    }
}
