package io.sagaspring.test.saga;

import static io.sagaspring.test.saga.SagaTest.Store.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

@SagaTest(
        value = {CheckoutSaga.class, SagaTestInDatabaseTests.BookingSaga.class},
        classes = CheckoutScenarios.Fakes.class,
        store = DATABASE)
class SagaTestInDatabaseTests extends SagaScenarioContract {

    @Autowired
    JdbcClient jdbc;

    /** A saga whose first step commits its writes together with its result. */
    static class BookingSaga implements Saga<String> {

        private final JdbcClient jdbc;
        private final EffectLog effects;

        BookingSaga(JdbcClient jdbc, EffectLog effects) {
            this.jdbc = jdbc;
            this.effects = effects;
        }

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("book", context -> {
                        boolean unused = effects.record(context, null);
                        return jdbc.sql("INSERT INTO booking VALUES (?)")
                                .param(context.input())
                                .update();
                    })
                    .dedupe();
            saga.step("confirm", context -> effects.record(context, null));
        }
    }

    @BeforeEach
    void createTable() {
        jdbc.sql("DROP TABLE IF EXISTS booking").update();
        jdbc.sql("CREATE TABLE booking (name text)").update();
    }

    private int bookings() {
        return jdbc.sql("SELECT count(*) FROM booking").query(Integer.class).single();
    }

    @Test
    void aCrashInATransactionalStepRollsTheWritesOfTheStepBack() {
        SagaExecution execution = scenario.given(BookingSaga.class, "a table for two")
                .crashesAfterBodyOf("book")
                .whenStarted();
        assertThat(bookings()).isZero();

        execution.resumed().then().isCompleted().effects().calledTimes("book", 2);
        assertThat(bookings()).isEqualTo(1);
    }

    @Test
    void aCrashAfterATransactionalStepKeepsTheWritesOfTheStep() {
        SagaExecution execution = scenario.given(BookingSaga.class, "a table for two")
                .crashesAfter("book")
                .whenStarted();
        assertThat(bookings()).isEqualTo(1);

        execution
                .resumed()
                .then()
                .isCompleted()
                .effects()
                .are("book", "confirm")
                .eachOnce();
        assertThat(bookings()).isEqualTo(1);
    }
}
