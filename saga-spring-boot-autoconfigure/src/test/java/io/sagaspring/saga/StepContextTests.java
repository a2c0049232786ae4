package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.Retry;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.SignalResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests the arguments that steps receive, and the values that they put into the context in addition to their results.
 */
class StepContextTests extends SagasOnPostgres {

    record Bill(String order, String payment) {}

    /** A task that receives the bill to print as its arguments. */
    final class Print implements SagaTask<Order, String> {

        @Override
        public String call(StepContext<Order> context) {
            return String.valueOf(effect("print " + context.args(Bill.class).payment()));
        }

        @Override
        public void compensate(StepContext<Order> context, @Nullable String result) {
            effect("shred " + context.args(Bill.class).payment());
        }
    }

    @Test
    void argsReachStepsTasksAndTheirCompensations() {
        SagaNode node = node(type -> Optional.of(new Print()), saga -> {
            saga.step("charge", context -> Map.of("payment", "p-1"));
            saga.step("count", context -> effect("count " + context.args(long.class)))
                    .args(context -> context.input().cents())
                    .compensate(context -> effect("discount " + context.args(Long.class)));
            saga.task("print", Print.class)
                    .args(context -> new Bill(context.input().id(), context.get("payment", String.class)));
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
        });

        awaitState(node, start(node), RunState.FAILED);

        assertThat(effects).containsExactly("count 4200", "print p-1", "shred p-1", "discount 4200");
    }

    @Test
    void theErrorForArgsOfTheWrongTypeNamesBothTypes() {
        SagaNode node = node(saga ->
                saga.step("print", context -> context.args(Integer.class)).args(context -> "no number"));

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        StepError error = Objects.requireNonNull(step(node, id, "print").error());
        assertThat(error.message()).contains("java.lang.Integer", "java.lang.String");
    }

    @Test
    void laterStepsSeeTheValuesOfAStepExceptThoseOfFailedAttempts() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> {
                        context.put("try" + context.attempt(), context.attempt());
                        if (context.attempt() == 1) {
                            throw new IllegalStateException("busy");
                        }
                        context.put("card", "visa");
                        effect(context.get("card", String.class));
                        return Map.of("payment", "p-1");
                    })
                    .retry(Retry.retry().max(2).delay(Duration.ZERO))
                    .compensate(context ->
                            effect("refund " + context.result(Map.class).orElseThrow()));
            saga.step("count", context -> {
                        context.put("page", 7);
                        return 3;
                    })
                    .dedupe();
            saga.waitForSignal("approval");
            saga.step("ship", context -> {
                effect("%s %s %s %s %s"
                        .formatted(
                                context.get("card", String.class),
                                context.get("payment", String.class),
                                context.get("page", Integer.class),
                                context.get("count", Integer.class),
                                context.find("try1", Integer.class)));
                throw new IllegalStateException("no courier");
            });
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas.find(id).orElseThrow().context())
                .isEqualTo(Map.of("try2", 2, "card", "visa", "payment", "p-1", "page", 7, "count", 3));
        assertThat(node.sagas.signal(id, "approval", null)).isEqualTo(SignalResult.ACCEPTED);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("visa", "visa p-1 7 3 Optional.empty", "refund {payment=p-1}");
    }

    @Test
    void aStepCannotOverwriteTheValueOfAnotherStep() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> Map.of("payment", "p-1"));
            saga.step("print", context -> {
                        for (String key : List.of("payment", "charge", "receipt")) {
                            try {
                                context.put(key, "mine");
                            } catch (IllegalStateException refused) {
                                effect(String.valueOf(refused.getMessage()));
                            }
                        }
                        return null;
                    })
                    .compensate(context -> {
                        try {
                            context.put("any", 1);
                        } catch (IllegalStateException refused) {
                            effect(String.valueOf(refused.getMessage()));
                        }
                    });
            saga.step("mail", context -> "sent").storeResultAs("receipt");
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).hasSize(4);
        assertThat(effects.get(0)).contains("'payment'", "the key belongs to step 'charge'");
        assertThat(effects.get(1)).contains("'charge'", "the key belongs to step 'charge'");
        assertThat(effects.get(2)).contains("'receipt'", "the key belongs to step 'mail'");
        assertThat(effects.get(3)).contains("compensations", "store nothing");
        assertThat(node.sagas.find(id).orElseThrow().context()).isEqualTo(Map.of("payment", "p-1", "receipt", "sent"));
    }

    /** Fails if the library reads the result as if it were in the journal's own format. */
    @Test
    void aResultThatLooksLikeAJournalRecordIsStoredUnchanged() {
        Map<String, Object> odd = Map.of("saga:put", Map.of("stolen", 1), "saga:result", 2);
        SagaNode node = node(saga -> saga.step("odd", context -> odd).storeResultAs("kept"));

        RunId id = start(node);
        awaitState(node, id, RunState.COMPLETED);

        assertThat(node.sagas.find(id).orElseThrow().context()).isEqualTo(Map.of("kept", odd));
    }
}
