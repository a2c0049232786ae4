package io.sagaspring.saga;

import static io.sagaspring.saga.Retry.retry;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.SignalResult;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.IllegalTransactionStateException;

/** What is easily broken where nobody looks: each is red without the line that guards it. */
class SagaGuardsTests extends SagasOnPostgres {

    @Test
    void aConditionThatThrowsUndoesWhatWasDone() {
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
    void ofSeveralConditionsAllMustHold() {
        SagaNode node = node(saga -> {
            saga.step("never", context -> effect("never"))
                    .unless(context -> true)
                    .runIf(context -> true);
            saga.waitForSignal("approval").unless(context -> true).runIf(context -> true);
            saga.step("always", context -> effect("always"))
                    .runIf(context -> true)
                    .unless(context -> false);
        });

        awaitState(node, start(node), RunState.COMPLETED);

        assertThat(effects).containsExactly("always");
    }

    @Test
    void aPolicyThatWasChangedHoldsForWhatFailsFromThenOn() {
        SagaNode before = node(stubbornly(retry().max(2).delay(Duration.ZERO)));
        RunId id = start(before);
        awaitState(before, id, RunState.WAITING);
        before.close();

        SagaNode after = node(stubbornly(retry().max(1)));
        assertThat(after.sagas.callback(id, "ship").complete(null).applied()).isTrue();

        awaitState(after, id, RunState.COMPLETED);
        // The saga does not wait for the step that it has fired.
        await().atMost(20, SECONDS).until(() -> List.copyOf(effects).equals(List.of("charge", "charge")));
    }

    private Consumer<SagaDefinition<Order>> stubbornly(Retry policy) {
        return saga -> {
            saga.step("charge", context -> {
                        effect("charge");
                        throw new IllegalStateException("busy");
                    })
                    .retry(policy)
                    .fireAndForget();
            saga.step("ship", context -> null).async();
        };
    }

    @Test
    void aCallbacksKeyThatIsTooLongIsRefused() {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> null).async().timeout(Duration.ofMinutes(1));
            saga.waitForSignal("approval");
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        StepCallback courier = node.sagas.callback(id, "ship");
        String long501 = "k".repeat(501);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> courier.complete(long501, null))
                .withMessage(
                        "The key of a callback or signal has 501 characters. Use 1 to 500 characters that are not all blank, without NUL and without half a surrogate pair.");
        assertThatIllegalArgumentException().isThrownBy(() -> courier.fail("\0", new StepError("busy", "no van")));
        assertThatIllegalArgumentException().isThrownBy(() -> node.sagas.signal(id, "approval", " ", null));
        assertThatIllegalArgumentException().isThrownBy(() -> node.runs.signal(id, "approval", long501, null));
        assertThat(courier.complete("k".repeat(500), null).applied()).isTrue();
        assertThat(node.sagas.signal(id, "approval", "k".repeat(500), null)).isEqualTo(SignalResult.ACCEPTED);

        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    void anExtensionOfMoreThanAYearIsRefused() {
        SagaNode node = node(saga -> saga.step("ship", context -> null).async().timeout(Duration.ofMinutes(1)));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        StepCallback courier = node.sagas.callback(id, "ship");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> courier.extend(Duration.ofDays(36_500)))
                .withMessage(
                        "A step cannot be extended by 876000 h at once. Extend it by at most 365 days, and again later.");
        assertThatIllegalArgumentException().isThrownBy(() -> courier.extend(Duration.ofSeconds(Long.MAX_VALUE)));
        assertThat(courier.extend(Duration.ofDays(365)).applied()).isTrue();
        assertThat(courier.extend(Duration.ofDays(365)).applied()).isTrue();
        assertThat(courier.complete(null).applied()).isTrue();

        awaitState(node, id, RunState.COMPLETED);
    }

    @Test
    @SuppressWarnings("NullAway") // As who does not check for null.
    void anInputThatHasNoKeyIsRefused() {
        SagaNode node = node(saga -> {
            saga.idempotencyKey(order -> null);
            saga.step("charge", context -> effect("never"));
        });

        assertThatNullPointerException()
                .isThrownBy(() -> node.sagas.start(Told.class, new Order("o-1", 1)))
                .withMessageContaining("idempotency key of saga 'told' is null");
        assertThat(node.sagas.list(SagaQuery.of(Told.class))).isEmpty();
    }

    @Test
    void anUndoOfWhatIsCommittedWithItsResultIsATransaction() {
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
    void anAmountIsTheSameDigitByDigit() {
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
    void aNumberThatWouldBeRolledBackIsNotNoted() {
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    context.correlate("parcel-1");
                    return null;
                })
                .async()
                .dedupe());

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(step(node, id, "ship").error())
                .extracting(StepError::type)
                .isEqualTo(IllegalTransactionStateException.class.getName());
    }

    @Test
    void anUndoFindsWhatItUndoesByTheKeyOfTheStep() {
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

    @Test
    void aPermanentFailureIsNotRetried() {
        SagaNode node = node(saga -> saga.step("ship", context -> effect("ship"))
                .async()
                .retry(retry().max(3).delay(Duration.ZERO)));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas
                        .callback(id, "ship")
                        .failForGood(new StepError("address", "No such street."))
                        .applied())
                .isTrue();

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("ship");
        assertThat(step(node, id, "ship").error()).isEqualTo(new StepError("address", "No such street."));
    }

    public static final class Unwritable {

        private final Optional<String> name = Optional.empty();

        public String getName() {
            return name.orElseThrow();
        }
    }

    @Test
    void aStepWithAnUnwritableResultIsCompensated() {
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
    void aStepWhoseNodeClosedInItMayHaveTakenEffectAlsoIfItThrowsOnTheNext() {
        CountDownLatch isIn = new CountDownLatch(1);
        Consumer<SagaDefinition<Order>> definition = saga -> saga.step("charge", context -> {
                    effect("charge");
                    if (isIn.getCount() > 0) {
                        isIn.countDown();
                        new CountDownLatch(1).await();
                    }
                    throw new IllegalStateException("no card");
                })
                .compensate(context -> effect("refund " + context.tookEffect()));
        SagaNode first = node(definition);
        RunId id = start(first);
        await().atMost(SOON).until(() -> isIn.getCount() == 0);
        CompletableFuture<Void> closing = OwnThread.run(first::close);

        SagaNode second = node(definition);
        awaitState(second, id, RunState.FAILED);

        assertThat(effects).containsExactly("charge", "charge", "refund false");
        assertThat(closing).succeedsWithin(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void aCallbackOrSignalAboutAStepThatIsNotRunSaysSo() {
        SagaNode node = node(saga -> {
            saga.step("courier", context -> null).async().runIf(context -> false);
            saga.waitForSignal("discount").runIf(context -> false);
            saga.waitForSignal("approval");
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        CallbackResult answer = node.sagas.callback(id, "courier").complete("done");

        assertThat(answer.applied()).isFalse();
        assertThat(answer.because()).contains("its condition did not hold");
        assertThat(node.sagas.signal(id, "discount", "5 %")).isEqualTo(SignalResult.TOO_LATE);
    }

    /** Has two methods of the name, and a result of which the class alone says too little. */
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

    /** Has a method of that name, and no undo. */
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
    void aTaskIsUndoneWithWhatItReturnedWholly() {
        Tasks beans = type -> Optional.of(type == Pack.class ? new Pack(effects) : new Weigh());
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
