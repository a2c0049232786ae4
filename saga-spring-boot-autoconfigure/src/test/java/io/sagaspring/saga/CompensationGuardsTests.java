package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.shop.OwnThread;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests details of compensation that could break unnoticed. Each test fails if the line of code that it guards is
 * removed.
 */
class CompensationGuardsTests extends SagasOnPostgres {

    @Test
    void ifAConditionThrowsTheCompletedStepsAreCompensated() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> effect("never")).runIf(context -> {
                throw new IllegalStateException("no price list");
            });
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("charge", "refund");
        assertThat(node.sagas.find(id).orElseThrow().error())
                .extracting(StepError::message)
                .asString()
                .contains("no price list");
    }

    @Test
    void theCompensationOfATransactionalStepRunsInATransaction() {
        JdbcClient database = JdbcClient.create(connections);
        database.sql("create table shelf (item text)").update();
        SagaNode node = node(saga -> {
            saga.step("reserve", context -> null)
                    .dedupe()
                    .compensate(
                            context -> {
                                database.sql("insert into shelf values ('released')")
                                        .update();
                                if (context.attempt() == 1) {
                                    throw new IllegalStateException("answer lost");
                                }
                            },
                            retry().max(2).delay(Duration.ZERO));
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
        });

        awaitState(node, start(node), RunState.FAILED);

        assertThat(database.sql("select count(*) from shelf").query(Long.class).single())
                .isEqualTo(1);
    }

    @Test
    void aStepRolledBackByItsTimeOutIsNotCompensated() {
        SagaNode node = node(saga -> saga.step("reserve", context -> {
                    new CountDownLatch(1).await();
                    return null;
                })
                .dedupe()
                .timeout(Duration.ofMillis(50))
                .compensate(context -> effect("never")));

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).isEmpty();
        assertThat(step(node, id, "reserve").state()).isEqualTo(StepState.TIMED_OUT);
    }

    record Price(BigDecimal amount) {}

    @Test
    void anAmountInTheContextKeepsAllItsDigits() {
        List<BigDecimal> amounts =
                List.of(new BigDecimal("10.10"), new BigDecimal("12345678901234567890.123456789012345678901234567890"));
        for (BigDecimal amount : amounts) {
            SagaNode node = node(saga -> {
                saga.step("price", context -> new Price(amount))
                        .compensate(context -> effect("undo "
                                + context.result(Price.class).orElseThrow().amount()));
                saga.step("ship", context -> null).async();
                saga.step("charge", context -> {
                    effect("price " + context.get("amount", BigDecimal.class));
                    effect("fee " + context.get("ship", BigDecimal.class));
                    throw new IllegalStateException("no card");
                });
            });
            RunId id = start(node);
            awaitState(node, id, RunState.WAITING);
            assertThat(node.sagas.callback(id, "ship").complete(amount).applied())
                    .isTrue();
            awaitState(node, id, RunState.FAILED);
            node.close();

            assertThat(effects).containsExactly("price " + amount, "fee " + amount, "undo " + amount);
            assertThat(node.sagas.find(id).orElseThrow().context()).isEqualTo(Map.of("amount", amount, "ship", amount));
            effects.clear();
        }
    }

    @Test
    void onlyACompensationCanReadTheEffectKeyOfTheCompensatedStep() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect(context.effectKey()))
                    .compensate(context -> effect(context.compensatedEffectKey()));
            saga.step("ship", StepContext::compensatedEffectKey);
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly(id + ":charge", id + ":charge");
        assertThat(step(node, id, "ship").error())
                .extracting(StepError::message)
                .asString()
                .contains("outside a compensation");
    }

    public static final class Unwritable {

        private final Optional<String> name = Optional.empty();

        public String getName() {
            return name.orElseThrow();
        }
    }

    @Test
    void aStepWhoseResultCannotBeStoredIsCompensated() {
        SagaNode node = node(saga -> saga.step("charge", context -> {
                    effect("charge");
                    return new Unwritable();
                })
                .retry(retry().max(3).delay(Duration.ZERO))
                .compensate(context -> effect("refund " + context.result(Object.class))));

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("charge", "refund Optional.empty");
        assertThat(step(node, id, "charge").error()).extracting(StepError::type).isEqualTo(StepError.CONTEXT);
    }

    @Test
    void aStepInterruptedByAShutdownIsCompensatedAfterItThrowsOnAnotherNode() {
        CountDownLatch entered = new CountDownLatch(1);
        Consumer<SagaDefinition<Order>> definition = saga -> saga.step("charge", context -> {
                    effect("charge");
                    if (entered.getCount() > 0) {
                        entered.countDown();
                        new CountDownLatch(1).await();
                    }
                    throw new IllegalStateException("no card");
                })
                .compensate(context -> effect("refund " + context.tookEffect()));
        SagaNode first = node(definition);
        RunId id = start(first);
        await().atMost(SOON).until(() -> entered.getCount() == 0);
        CompletableFuture<Void> closing = OwnThread.run(first::close);

        SagaNode second = node(definition);
        awaitState(second, id, RunState.FAILED);

        assertThat(effects).containsExactly("charge", "charge", "refund false");
        assertThat(closing).succeedsWithin(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    /**
     * Has two methods named {@code compensate}. Its result has a generic type, which the class of the result alone does
     * not describe.
     */
    static class Pack implements SagaTask<Order, List<Price>> {

        private final List<String> effects;

        Pack(List<String> effects) {
            this.effects = effects;
        }

        @Override
        public List<Price> call(StepContext<Order> context) {
            return List.of(new Price(new BigDecimal("1.50")));
        }

        @Override
        public void compensate(StepContext<Order> context, @Nullable List<Price> packed) {
            Objects.requireNonNull(packed).forEach(each -> effects.add("unpacked " + each.amount()));
        }

        public void compensate(String reason) {
            effects.add("never " + reason);
        }
    }

    /** Has a method named {@code compensate}, but no compensation. */
    static class Weigh implements SagaTask<Order, String> {

        @Override
        public String call(StepContext<Order> context) {
            return "1 kg";
        }

        public void compensate(String one, String other) {
            throw new IllegalStateException(one + other);
        }
    }

    @Test
    void theCompensationOfATaskGetsAResultOfTheFullGenericType() {
        Function<Class<?>, Optional<SagaTask<?, ?>>> beans =
                type -> Optional.of(type == Pack.class ? new Pack(effects) : new Weigh());
        SagaNode node = node(beans, saga -> {
            saga.task("weigh", Weigh.class);
            saga.task("pack", Pack.class);
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("unpacked 1.50");
        assertThat(node.sagas.find(id).orElseThrow().steps())
                .extracting(StepView::state)
                .containsExactly(StepState.COMPLETED, StepState.COMPENSATED, StepState.FAILED);
    }
}
