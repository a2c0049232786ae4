package io.sagaspring.test.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.InvalidNameException;
import io.sagaspring.run.Labels;
import io.sagaspring.run.Retry;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.SagaQuery;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.RunSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SagaTest(
        sagas = {
            LabelledSagaTests.Shipment.class,
            LabelledSagaTests.Nightly.class,
            LabelledSagaTests.Booking.class,
            LabelledSagaTests.Greedy.class
        },
        runs = LabelledSagaTests.Parcel.class)
class LabelledSagaTests {

    @Autowired
    SagaScenario scenario;

    @Autowired
    RunScenario runScenario;

    @Autowired
    Sagas sagas;

    record Ordered(String customer, @Nullable String coupon) {}

    static class Shipment implements Saga<Ordered> {

        /** NullAway does not see that the value of a label may be null. */
        @Override
        @SuppressWarnings("NullAway")
        public void define(SagaDefinition<Ordered> saga) {
            saga.label("customer", Ordered::customer).label("coupon", Ordered::coupon);
            saga.step("ship", context -> "shipped");
            saga.waitForSignal("delivery");
        }
    }

    @RunSchedule(name = "nightly", cron = "0 30 1 * * *")
    static class Nightly implements Saga<Firing> {

        @Override
        public void define(SagaDefinition<Firing> saga) {
            saga.label("night", firing -> firing.at().toString());
            saga.step("report", context -> "report");
        }
    }

    /** Its steps set labels. The name of the first step looks like the prefix of a label's entry in the journal. */
    static class Booking implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("label", context -> {
                        context.label("carrier", context.input());
                        return "booked";
                    })
                    .compensate(context -> assertThatIllegalStateException()
                            .isThrownBy(() -> context.label("compensated", "yes"))
                            .withMessageContaining("Step 'label' cannot set the label 'compensated'"));
            saga.waitForSignal("delivery");
            saga.step("deliver", context -> {
                        context.label("attempt-" + context.attempt(), "made");
                        if (context.attempt() == 1) {
                            throw new IllegalStateException("busy");
                        }
                        context.put("receipt", "r-1");
                        context.label("carrier", "other");
                        context.label("undo", "no");
                        return "delivered";
                    })
                    .retry(Retry.retry().max(2).delay(Duration.ZERO));
        }
    }

    /** Its second step sets one label too many. */
    static class Greedy implements Saga<Integer> {

        @Override
        public void define(SagaDefinition<Integer> saga) {
            saga.step("many", context -> {
                for (int each = 0; each < context.input(); each++) {
                    context.label("name-" + each, "value");
                }
                return "many";
            });
            saga.step("one", context -> {
                context.label("one", "value");
                return "one";
            });
        }
    }

    static class Parcel implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String input) {
            run.label("carrier", input);
            return input;
        }
    }

    @Test
    void executionsAreFoundAndCountedByTheLabelsOfTheirSaga() {
        SagaExecution one =
                scenario.given(Shipment.class, new Ordered("1", null)).whenStarted();
        SagaExecution other =
                scenario.given(Shipment.class, new Ordered("2", "summer")).whenStarted();
        SagaQuery query = SagaQuery.of(Shipment.class);

        one.then().hasLabel("customer", "1");
        other.then().hasLabel("coupon", "summer");
        assertThat(one.view().labels()).isEqualTo(Map.of("customer", "1"));
        assertThat(sagas.list(query.withLabel("customer", "2")))
                .extracting(ExecutionView::id, ExecutionView::labels)
                .containsExactly(tuple(other.id(), other.view().labels()));
        assertThat(sagas.list(query.withLabel("customer", "2").withLabel("coupon", "winter")))
                .isEmpty();
        assertThat(sagas.count(query.withLabel("customer", "1"))).isEqualTo(new RunCount(1, false));
        assertThat(sagas.count(query.withLabel("customer", "1").in(RunState.COMPLETED)))
                .isEqualTo(new RunCount(0, false));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> one.then().hasLabel("customer", "2"))
                .withMessageContaining("but the execution has the labels {customer=1}");
    }

    @Test
    void aLabelThatIsNotAllowedStartsNothing() {
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> sagas.start(Shipment.class, new Ordered(" ", null)))
                .withMessageContaining("The label 'customer' has a blank value");
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> SagaQuery.of(Shipment.class).withLabel("customer", " "));

        assertThat(sagas.count(SagaQuery.of(Shipment.class))).isEqualTo(new RunCount(0, false));
    }

    @Test
    void anExecutionThatAScheduleStartsHasLabels() {
        Instant night = Instant.parse("2026-11-25T01:30:00Z");

        scenario.fire("nightly", night).then().hasLabel("night", night.toString());
    }

    @Test
    void aStepSetsLabelsWhenItHasCompleted() {
        SagaExecution booking = scenario.given(Booking.class, "dhl").whenStarted();

        booking.then().hasLabel("carrier", "dhl");
        assertThat(sagas.list(SagaQuery.of(Booking.class).withLabel("carrier", "dhl")))
                .extracting(ExecutionView::id)
                .containsExactly(booking.id());

        booking.signalled("delivery", null);

        booking.then().isCompleted();
        assertThat(booking.view().labels()).isEqualTo(Map.of("carrier", "other", "attempt-2", "made", "undo", "no"));
        assertThat(booking.view().context()).containsEntry("receipt", "r-1").containsEntry("label", "booked");
    }

    @Test
    void aStepSetsItsLabelsAlsoIfTheNodeDiesBeforeTheyAreWritten() {
        SagaExecution booking =
                scenario.given(Booking.class, "dhl").crashesAfter("label").whenStarted();

        booking.then().hasLabel("carrier", "dhl");
        booking.signalled("delivery", null).then().isCompleted().hasLabel("carrier", "other");
    }

    @Test
    void aCompensationSetsNoLabel() {
        SagaExecution booking = scenario.given(Booking.class, "dhl").whenStarted();

        booking.cancelled("not needed");

        assertThat(booking.view().state()).isEqualTo(RunState.CANCELLED);
        assertThat(booking.view().labels()).isEqualTo(Map.of("carrier", "dhl"));
    }

    @Test
    void theStepsOfAnExecutionSetAtMostTwentyNames() {
        scenario.given(Greedy.class, Labels.MOST - 1)
                .whenStarted()
                .then()
                .isCompleted()
                .hasLabel("one", "value");

        SagaExecution greedy = scenario.given(Greedy.class, Labels.MOST).whenStarted();

        assertThat(greedy.view().state()).isEqualTo(RunState.FAILED);
        assertThat(Objects.requireNonNull(greedy.view().error()).message()).contains("at most 20 are allowed");
    }

    @Test
    void aRunShowsTheLabelsOfItsStartAndOfItsCode() {
        TestedRun run = runScenario
                .given(Parcel.class, "dhl")
                .with(RunOptions.label("customer", "1"))
                .whenStarted();

        run.then().hasLabel("customer", "1").hasLabel("carrier", "dhl").isCompleted();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> run.then().hasLabel("carrier", "ups"))
                .withMessageContaining("Expected the label 'carrier' to be 'ups'");
    }
}
