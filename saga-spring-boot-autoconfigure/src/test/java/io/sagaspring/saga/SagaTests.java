package io.sagaspring.saga;

import static io.sagaspring.saga.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.InvalidNameException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.SignalAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A saga comes to its end, or what it did is undone in reverse. */
class SagaTests extends SagasOnPostgres {

    @Test
    void whatAStepReturnsIsThereForThoseBehindIt() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> Map.of("payment", context.input().id() + "/" + context.attempt()));
            saga.step("stock", context -> 7);
            saga.step("receipt", context -> "sent").storeResultAs("letter");
            saga.step(
                    "ship",
                    context -> effect("%s %d %s"
                            .formatted(
                                    context.get("payment", String.class),
                                    context.get("stock", Integer.class),
                                    context.get("letter", String.class))));
        });

        awaitState(node, start(node), RunState.COMPLETED);

        assertThat(effects).containsExactly("o-1/1 7 sent");
    }

    @Test
    void whatWasDoneIsUndoneInReverseWithItsResultUnderKeysOfItsOwn() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> Map.of("payment", "p-1"))
                    .compensate(context ->
                            effect("refund " + context.result(Map.class).orElseThrow()));
            saga.step("stock", context -> effect(context.effectKey()))
                    .compensate(context -> effect(context.effectKey()));
            saga.step("ship", context -> {
                        throw new IllegalStateException("no courier");
                    })
                    .compensate(context -> effect("never"));
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly(id + ":stock", id + ":stock:undo", "refund {payment=p-1}");
        assertThat(node.runs.find(id).orElseThrow().error()).contains("ship", "no courier");
    }

    @Test
    void aStepIsTriedAsOftenAsItsPolicySaysUnderOneKey() {
        SagaNode node = node(saga -> {
            saga.defaults(retry().max(3).delay(Duration.ofMillis(20)));
            saga.step("charge", context -> {
                effect(context.effectKey() + " " + context.attempt());
                throw new IllegalStateException("busy");
            });
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly(id + ":charge 1", id + ":charge 2", id + ":charge 3");
    }

    @Test
    void whatThePolicyDoesNotCoverIsTriedOnce() {
        SagaNode node = node(saga -> saga.step("charge", context -> {
                    effect("tried");
                    throw new IllegalArgumentException("no card");
                })
                .retry(retry().noRetryOn(IllegalArgumentException.class).delay(Duration.ZERO)));

        awaitState(node, start(node), RunState.FAILED);

        assertThat(effects).containsExactly("tried");
    }

    /** Red where what is journaled is cut in the middle: who takes it up cannot read whether it is to be tried again. */
    @Test
    void aFailureIsReadFromTheJournalHoweverMuchItSays() {
        List<String> messages = List.of("\n".repeat(9_000), "x".repeat(9_000));
        for (String message : messages) {
            SagaNode node = node(saga -> {
                saga.step("charge", context -> "c-1").compensate(context -> effect("refund"));
                saga.step("stock", context -> {
                            throw new IllegalArgumentException("Sold out." + message);
                        })
                        .retry(retry().noRetryOn(IllegalArgumentException.class));
            });

            RunId id = start(node);
            awaitState(node, id, RunState.FAILED);

            StepError error = Objects.requireNonNull(node.sagas
                    .find(id)
                    .orElseThrow()
                    .step("stock")
                    .orElseThrow()
                    .error());
            assertThat(error.type()).isEqualTo(IllegalArgumentException.class.getName());
            assertThat(error.message()).startsWith("Sold out.");
        }
        assertThat(effects).containsExactly("refund", "refund");
    }

    /** Red where the journal says otherwise than what was decided: the execution is blocked. */
    @Test
    @ExpectsErrors("could not be undone")
    void whatWasNotToBeTriedAgainIsNotWhenItIsTakenUpEither() {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        SagaNode node = node(saga -> {
            saga.step("charge", context -> "c-1").compensate(context -> {
                effect("refund");
                if (isBroken.get()) {
                    throw new IllegalStateException("No refunds today.");
                }
            });
            saga.step("stock", context -> {
                        effect("stock");
                        throw new IllegalArgumentException("x".repeat(9_000));
                    })
                    .retry(retry().noRetryOn(IllegalArgumentException.class));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);

        isBroken.set(false);
        assertThat(node.sagas.retry(id)).isTrue();

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("stock", "refund", "refund");
    }

    @Test
    void anAttemptThatTakesTooLongIsInterruptedAndMayHaveTakenEffect() {
        SagaNode node = node(saga -> saga.step("charge", context -> {
                    effect("charged");
                    TimeUnit.MINUTES.sleep(1);
                    return null;
                })
                .timeout(Duration.ofMillis(50))
                .compensate(context ->
                        effect("refund, known: " + context.result(String.class).isPresent())));

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("charged", "refund, known: false");
    }

    @Test
    void whoIsCancelledWhileItWaitsUndoesWhatItDid() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.waitForSignal("approval");
            saga.step("ship", context -> effect("ship")).compensate(context -> effect("never"));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.runs.cancel(id, "changed my mind")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
        assertThat(effects).containsExactly("charge", "refund");
    }

    @Test
    void anAsynchronousStepIsOverWhenSomebodySaysSo() {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> Map.of("courier", "c-1")).async();
            saga.step(
                    "receipt",
                    context -> effect(context.get("courier", String.class) + " " + context.get("ship", Map.class)));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas
                        .callback(id, "ship")
                        .complete(Map.of("parcel", "p-9"))
                        .applied())
                .isTrue();

        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("c-1 {parcel=p-9}");
    }

    @Test
    void aWaitThatIsNotAnsweredInTimeFails() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> effect("ship"))
                    .async()
                    .timeout(Duration.ofMillis(50))
                    .compensate(context ->
                            effect("recall " + context.result(String.class).orElseThrow()));
        });

        awaitState(node, start(node), RunState.FAILED);

        assertThat(effects).containsExactly("charge", "ship", "recall ship", "refund");
    }

    @Test
    @ExpectsErrors("could not be undone")
    void anUndoThatKeepsFailingIsSeenAndGoesOnWhenItIsRetried() {
        boolean[] broken = {true};
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("stock", context -> effect("stock")).compensate(context -> {
                if (broken[0]) {
                    throw new IllegalStateException("closed");
                }
                effect("release");
            });
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
        });
        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);
        assertThat(effects).containsExactly("charge", "stock");
        broken[0] = false;

        assertThat(node.runs.retry(id)).isTrue();

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("charge", "stock", "release", "refund");
    }

    @Test
    void whatIsFiredAndForgottenFailsNothing() {
        SagaNode node = node(saga -> {
            saga.step("mail", context -> {
                        throw new IllegalStateException("no mailer");
                    })
                    .fireAndForget();
            saga.step("ship", context -> effect("ship"));
        });

        awaitState(node, start(node), RunState.COMPLETED);

        assertThat(effects).containsExactly("ship");
    }

    @Test
    void aSagaThatFailedWithNothingToUndoGoesOnFromItsStepWithAllAttempts() {
        boolean[] broken = {true};
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge"));
            saga.step("ship", context -> {
                        effect("ship " + context.attempt());
                        if (broken[0]) {
                            throw new IllegalStateException("no courier");
                        }
                        return null;
                    })
                    .retry(retry().max(2).delay(Duration.ZERO));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);
        ExecutionView failed = node.sagas.find(id).orElseThrow();
        assertThat(failed.error()).isEqualTo(new StepError(IllegalStateException.class.getName(), "no courier"));
        assertThat(failed.step("ship").orElseThrow().state()).isEqualTo(StepState.FAILED);

        assertThat(node.sagas.retry(id)).isTrue();
        await().atMost(SOON).untilAsserted(() -> assertThat(effects).hasSize(5));
        awaitState(node, id, RunState.FAILED);
        broken[0] = false;
        assertThat(node.sagas.retry(id)).isTrue();

        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("charge", "ship 1", "ship 2", "ship 3", "ship 4", "ship 5");
    }

    @Test
    void whatWasUndoneIsNotRetried() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
        });
        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(node.sagas.retry(id)).isFalse();

        ExecutionView seen = node.sagas.find(id).orElseThrow();
        assertThat(seen.error()).hasToString(IllegalStateException.class.getName() + ": no courier");
        assertThat(seen.steps()).extracting(StepView::state).containsExactly(StepState.COMPENSATED, StepState.FAILED);
        assertThat(seen.step("charge").orElseThrow().emptyRollback()).isFalse();
    }

    @Test
    void aTokenIsGoodForItsAttemptAndForNothingElse() {
        List<String> tokens = new CopyOnWriteArrayList<>();
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    tokens.add(context.callbackToken());
                    return null;
                })
                .async()
                .retry(retry().max(2).delay(Duration.ZERO)));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        RunId other = start(node);
        awaitState(node, other, RunState.WAITING);
        String first = tokens.get(0);

        assertThatExceptionOfType(NoSuchCallbackException.class)
                .isThrownBy(() -> node.sagas.callback(other.toString(), "ship", first));
        assertThatExceptionOfType(NoSuchCallbackException.class)
                .isThrownBy(() -> node.sagas.callback(id.toString(), "ship", null));
        assertThatExceptionOfType(NoSuchCallbackException.class)
                .isThrownBy(() -> node.sagas.callback("nobody", "ship", first));
        StepCallback callback = node.sagas.callback(id.toString(), "ship", first);
        assertThat(callback.heartbeat().applied()).isTrue();
        assertThat(node.sagas.find(id).orElseThrow().step("ship").orElseThrow().heartbeatAt())
                .isNotNull();
        assertThat(callback.fail(new StepError("lost", "van")).applied()).isTrue();
        await().atMost(SOON).untilAsserted(() -> assertThat(tokens).hasSize(3));
        awaitState(node, id, RunState.WAITING);

        assertThat(callback.complete("late"))
                .isEqualTo(new CallbackAnswer(false, "Attempt 1 of step 'ship' is over: attempt 2 is under way."));
        assertThat(callback.heartbeat().applied()).isFalse();
        assertThat(node.sagas
                        .callback(id.toString(), "ship", tokens.get(2))
                        .complete("there")
                        .applied())
                .isTrue();
        awaitState(node, id, RunState.COMPLETED);
        assertThat(node.sagas.find(id).orElseThrow().context()).containsEntry("ship", "there");
    }

    @Test
    void aCallbackThatIsQuickerThanTheFailureOfItsBodyIsHeard() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    StepCallback early = self[0].sagas.callback(context.executionId(), "ship", context.callbackToken());
                    assertThat(early.complete("there").applied()).isTrue();
                    throw new IllegalStateException("answer lost");
                })
                .async());
        self[0] = node;

        RunId id = start(node);

        awaitState(node, id, RunState.COMPLETED);
        assertThat(node.sagas.find(id).orElseThrow().context()).containsEntry("ship", "there");
    }

    @Test
    void aCallbackIsFoundByTheNumberThatSomebodyElseHasGivenIt() {
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    context.correlate("parcel-" + context.executionId());
                    return null;
                })
                .async());
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThatExceptionOfType(NoSuchCallbackException.class).isThrownBy(() -> node.sagas.correlated("parcel-0"));
        assertThat(node.sagas.correlated("parcel-" + id).complete("k", "there").applied())
                .isTrue();
        assertThat(node.sagas.correlated("parcel-" + id).complete("k", "there"))
                .isEqualTo(new CallbackAnswer(false, "It was said before."));

        awaitState(node, id, RunState.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "parcel\0", "\uD83D", "501"})
    void aNumberThatCannotBeStoredFailsItsStepAndFindsNothing(String given) {
        String number = given.equals("501") ? "n".repeat(501) : given;
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> {
                        context.correlate(number);
                        return null;
                    })
                    .async();
        });

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("charge", "refund");
        assertThat(node.sagas.find(id).orElseThrow().steps())
                .filteredOn(step -> step.name().equals("ship"))
                .singleElement()
                .satisfies(
                        step -> assertThat(Objects.requireNonNull(step.error()).type())
                                .isEqualTo(InvalidNameException.class.getName()));
        assertThatExceptionOfType(InvalidNameException.class).isThrownBy(() -> node.sagas.correlated(number));
    }

    @Test
    void whoIsGivenMoreTimeWaitsForLonger() {
        SagaNode node = node(saga -> saga.step("ship", context -> null).async().timeout(Duration.ofMinutes(1)));
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        Instant before = deadlineOf(node, id);

        assertThat(node.sagas
                        .callback(id, "ship")
                        .extend(Duration.ofMinutes(10))
                        .applied())
                .isTrue();

        await().atMost(SOON)
                .untilAsserted(() ->
                        assertThat(deadlineOf(node, id)).isBetween(before.plusSeconds(590), before.plusSeconds(610)));
        assertThat(node.sagas.callback(id, "ship").complete(null).applied()).isTrue();
        awaitState(node, id, RunState.COMPLETED);
    }

    private static Instant deadlineOf(SagaNode node, RunId id) {
        return Objects.requireNonNullElse(
                node.sagas.find(id).orElseThrow().step("ship").orElseThrow().deadline(), Instant.EPOCH);
    }

    @Test
    void aSignalIsGivenToItsWaitOnceHoweverEarlyItCame() {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> null).async();
            saga.waitForSignal("approval").storeResultAs("decision");
            saga.step("receipt", context -> effect(context.get("decision", String.class)));
        });
        RunId id = start(node);

        assertThat(node.sagas.signal(id, "approval", "k", "yes")).isEqualTo(SignalAnswer.ACCEPTED);
        assertThat(node.sagas.signal(id, "approval", "k", "yes")).isEqualTo(SignalAnswer.REPEATED);
        assertThat(node.sagas.signal(id, "approval", "no")).isEqualTo(SignalAnswer.TOO_LATE);
        assertThat(node.sagas.callback(id, "ship").complete(null).applied()).isTrue();

        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("yes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.sagas.signal(id, "aproval", "yes"))
                .withMessageContaining("'aproval'")
                .withMessageContaining("approval");
    }

    @Test
    void aSagaWhoseTimeIsOverIsUndoneAndFails() {
        SagaNode node = node(saga -> {
            saga.timeout(Duration.ofMillis(300));
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.waitForSignal("approval");
        });
        RunId id = node.sagas.start(Told.class, new Order("o-1", 1)).id();

        awaitState(node, id, RunState.FAILED);

        ExecutionView seen = node.sagas.find(id).orElseThrow();
        assertThat(effects).containsExactly("charge", "refund");
        assertThat(seen.error()).extracting(StepError::type).isEqualTo(StepError.TIMEOUT);
        assertThat(seen.steps())
                .extracting(StepView::state)
                .containsExactly(StepState.COMPENSATED, StepState.TIMED_OUT);
    }

    @Test
    void aStepWhoseConditionDoesNotHoldIsNotThere() {
        SagaNode node = node(saga -> {
            saga.step("small", context -> effect("small"))
                    .unless(context -> context.input().cents() > 1000);
            saga.step("large", context -> effect("large"))
                    .runIf(context -> context.input().cents() > 1000);
        });
        RunId id = start(node);

        awaitState(node, id, RunState.COMPLETED);

        assertThat(effects).containsExactly("large");
        assertThat(node.sagas.find(id).orElseThrow().steps())
                .extracting(StepView::name)
                .containsExactly("large");
    }

    @Test
    void whatHappensIsTold() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> {
                        if (context.attempt() == 1) {
                            throw new IllegalStateException("busy");
                        }
                        return null;
                    })
                    .retry(retry().max(2).delay(Duration.ofMillis(10)));
            saga.step("ship", context -> null).async();
            saga.waitForSignal("approval");
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        assertThat(node.sagas.callback(id, "ship").complete(null).applied()).isTrue();
        assertThat(node.sagas.signal(id, "approval", "yes")).isEqualTo(SignalAnswer.ACCEPTED);
        awaitState(node, id, RunState.COMPLETED);

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(node.events)
                        .extracting(event -> event.kind().text() + " " + event.step() + " " + event.attempt())
                        .containsSubsequence(
                                "step.started charge 1",
                                "step.failed charge 1",
                                "retry.scheduled charge 2",
                                "step.started charge 2",
                                "step.completed charge 2",
                                "step.started ship 1",
                                "step.waiting ship 1",
                                "execution.completed null 0")
                        .contains(
                                "step.completed_async ship 1",
                                "step.waiting approval 1",
                                "signal.received approval 1"));
    }

    @Test
    void whoIsCancelledInTheLastStepIsUndone() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> saga.step("charge", context -> {
                    assertThat(self[0].sagas.cancel(RunId.of(context.executionId()), "changed my mind"))
                            .isTrue();
                    return effect("charge");
                })
                .compensate(context -> effect("refund")));
        self[0] = node;

        RunId id = start(node);
        awaitState(node, id, RunState.CANCELLED);

        assertThat(effects).containsExactly("charge", "refund");
        assertThat(node.sagas.find(id).orElseThrow().cancelledAt()).isNotNull();
    }

    @Test
    void whoIsCancelledBeforeAConditionIsAskedIsSeen() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> {
            saga.step("charge", context -> {
                assertThat(self[0].sagas.cancel(RunId.of(context.executionId()), "changed my mind"))
                        .isTrue();
                return null;
            });
            saga.step("ship", context -> effect("never")).runIf(context -> true);
        });
        self[0] = node;

        RunId id = start(node);
        awaitState(node, id, RunState.CANCELLED);

        assertThat(node.sagas.find(id).orElseThrow().steps())
                .extracting(StepView::state)
                .containsExactly(StepState.COMPLETED, StepState.CANCELLED);
    }

    @Test
    @ExpectsErrors("could not be undone")
    void whoIsCancelledWhileItUndoesStillSaysWhyItFailed() {
        SagaNode[] self = new SagaNode[1];
        boolean[] broken = {true};
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> {
                assertThat(self[0].sagas.cancel(RunId.of(context.executionId()), "changed my mind"))
                        .isTrue();
                if (broken[0]) {
                    throw new IllegalStateException("closed");
                }
            });
            saga.step("ship", context -> {
                throw new IllegalStateException("no courier");
            });
            saga.step("receipt", context -> effect("never"));
        });
        self[0] = node;
        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);
        assertThat(node.sagas.find(id).orElseThrow().steps())
                .extracting(StepView::state)
                .containsExactly(StepState.COMPENSATING, StepState.FAILED, StepState.CANCELLED);
        broken[0] = false;
        assertThat(node.sagas.retry(id)).isTrue();

        awaitState(node, id, RunState.FAILED);

        assertThat(node.sagas.find(id).orElseThrow().error())
                .isEqualTo(new StepError(IllegalStateException.class.getName(), "no courier"));
    }

    @Test
    void aSagaWhoseTimeIsOverBeforeItBeginsFailsForThat() {
        SagaNode node = node(saga -> {
            saga.timeout(Duration.ofMillis(1));
            saga.step("charge", context -> effect("never"));
        });
        node.engine.stop();
        RunId id = node.sagas.start(Told.class, new Order("o-1", 1)).id();
        Instant late = node.sagas.find(id).orElseThrow().startedAt().plusMillis(50);
        await().atMost(SOON).until(() -> Instant.now().isAfter(late));
        node.engine.open();

        awaitState(node, id, RunState.FAILED);

        assertThat(effects).isEmpty();
        assertThat(node.sagas.find(id).orElseThrow().error())
                .extracting(StepError::type)
                .isEqualTo(StepError.TIMEOUT);
    }

    @Test
    void whatThrowsWhenItIsRetriedHasStillNotTakenEffect() {
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    effect("ship " + context.attempt());
                    throw new IllegalStateException("no courier");
                })
                .compensate(context -> effect("never")));
        RunId id = start(node);
        for (int retries = 1; retries <= 3; retries++) {
            int attempts = retries;
            await().atMost(SOON).untilAsserted(() -> assertThat(effects).hasSize(attempts));
            awaitState(node, id, RunState.FAILED);
            assertThat(node.sagas.retry(id)).isTrue();
        }
        await().atMost(SOON).untilAsserted(() -> assertThat(effects).hasSize(4));

        assertThat(effects).containsExactly("ship 1", "ship 2", "ship 3", "ship 4");
    }

    @Test
    void whatIsKnownOfAnEarlierAttemptIsUndoneAlsoIfALaterOneMayHaveBegun() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> saga.step("ship", context -> {
                    if (context.attempt() == 1) {
                        return "parcel-1";
                    }
                    StepCallback early = self[0].sagas.callback(context.executionId(), "ship", context.callbackToken());
                    assertThat(early.fail(new StepError("lost", "van")).applied())
                            .isTrue();
                    throw new IllegalStateException("answer lost");
                })
                .async()
                .retry(retry().max(2).delay(Duration.ZERO))
                .compensate(context -> effect("recall " + context.result(String.class) + context.tookEffect())));
        self[0] = node;
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        assertThat(node.sagas
                        .callback(id, "ship")
                        .fail(new StepError("lost", "van"))
                        .applied())
                .isTrue();

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("recall Optional[parcel-1]true");
        assertThat(node.sagas.find(id).orElseThrow().step("ship").orElseThrow().emptyRollback())
                .isFalse();
    }

    @Test
    @ExpectsErrors("could not be undone")
    void whichStepCannotBeUndoneIsSeenAlsoIfOnlyACallbackSaidThatItBegan() {
        SagaNode[] self = new SagaNode[1];
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("never"));
            saga.step("ship", context -> {
                        if (context.attempt() == 1) {
                            StepCallback early =
                                    self[0].sagas.callback(context.executionId(), "ship", context.callbackToken());
                            assertThat(early.fail(new StepError("lost", "van")).applied())
                                    .isTrue();
                        }
                        throw new IllegalStateException("answer lost");
                    })
                    .async()
                    .retry(retry().max(2).delay(Duration.ZERO))
                    .compensate(
                            context -> {
                                throw new IllegalStateException("closed");
                            },
                            retry().max(1));
        });
        self[0] = node;

        RunId id = start(node);
        awaitState(node, id, RunState.COMPENSATION_FAILED);

        assertThat(node.sagas.find(id).orElseThrow().steps())
                .extracting(StepView::state)
                .containsExactly(StepState.COMPLETED, StepState.COMPENSATING);
    }
}
