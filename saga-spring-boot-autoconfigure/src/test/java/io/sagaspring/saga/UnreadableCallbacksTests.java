package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StoredValue;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a callback or signal that cannot be read back is not accepted, and does not harm the execution. */
class UnreadableCallbacksTests extends SagasOnPostgres {

    /** The size limit of the codec in these tests. */
    private static final int LARGEST = 100_000;

    private SagaNode shipping() {
        return node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> effect("ship"))
                    .async()
                    .retry(retry().max(2).delay(Duration.ZERO));
            saga.waitForSignal("approval");
        });
    }

    private static Object nested(int depth) {
        Object value = List.of();
        for (int level = 1; level < depth; level++) {
            value = List.of(value);
        }
        return value;
    }

    static Stream<Object> unreadable() {
        return Stream.of(
                nested(200),
                nested(201),
                nested(499),
                nested(600),
                nested(50_000),
                new BigInteger("9".repeat(1_200)),
                Map.of("n".repeat(60_000), 1),
                "x".repeat(LARGEST));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void anUnreadableCallbackOrSignalIsNotAccepted(Object payload) {
        SagaNode node = shipping();
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        StepCallback ship = node.sagas.callback(id, "ship");
        StepError error = new StepError("courier", "No courier.", Map.of("details", payload));

        assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> ship.complete(payload));
        assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> ship.fail(error));
        assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> ship.failForGood(error));
        assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> node.sagas.signal(id, "approval", payload));

        assertThat(ship.complete("parcel").applied()).isTrue();
        node.sagas.signal(id, "approval", "yes");
        awaitState(node, id, RunState.COMPLETED);
    }

    /**
     * The error is stored twice: as the caller sent it, and within the larger record of the decision about the step.
     */
    @ParameterizedTest
    @ValueSource(ints = {60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 160, 170, 180, 190})
    void anAcceptedFailureNearTheSizeLimitIsCompensated(int below) {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.step("ship", context -> effect("ship")).async();
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        StepError error = new StepError("courier", null, Map.of("text", "x".repeat(LARGEST - below)));

        boolean isAccepted;
        try {
            isAccepted = node.sagas.callback(id, "ship").failForGood(error).applied();
        } catch (PayloadException refused) {
            isAccepted = false;
        }

        if (isAccepted) {
            awaitState(node, id, RunState.FAILED);
        } else {
            node.sagas.cancel(id, "refused");
            awaitState(node, id, RunState.CANCELLED);
        }
        assertThat(effects).containsExactly("charge", "ship", "refund");
    }

    /** Stores a reply as an earlier version did, without checking that it can be read back. */
    private static void storeUnreadableReply(SagaNode node, RunId id, String step, String wait) {
        byte[] deep = "[".repeat(300).concat("]".repeat(300)).getBytes(StandardCharsets.UTF_8);
        RunInbox.Answer answer =
                node.store.reply(id, new RunReply(wait, step, null, new StoredValue("json", deep), true));
        assertThat(answer).isEqualTo(RunInbox.Answer.ACCEPTED);
    }

    @Test
    void aStoredUnreadableCallbackFailsItsStepAndTheSagaCompensates() {
        SagaNode node = shipping();
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        storeUnreadableReply(node, id, "ship", "ship:callback");

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("charge", "ship", "refund");
        assertThat(step(node, id, "ship").state()).isEqualTo(StepState.FAILED);
        assertThat(step(node, id, "ship").error()).extracting(StepError::type).isEqualTo(StepError.UNREADABLE);
        assertThat(step(node, id, "ship").error())
                .extracting(StepError::message)
                .asString()
                .contains("200");
    }

    @Test
    void aStoredUnreadableSignalFailsItsExecution() {
        SagaNode node = node(saga -> {
            saga.step("charge", context -> effect("charge")).compensate(context -> effect("refund"));
            saga.waitForSignal("approval");
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        storeUnreadableReply(node, id, "approval", "approval");

        awaitState(node, id, RunState.FAILED);
        assertThat(effects).containsExactly("charge", "refund");
    }

    /** A signal that is sent through {@code Runs} does not reach the wait of the saga, and does not block the saga. */
    @Test
    void aSagaReceivesItsSignalEvenIfItsRunReceivedAnotherSignalBefore() {
        SagaNode node = node(saga -> {
            saga.waitForSignal("approval");
            saga.step("ship", context -> effect(context.get("approval", String.class)));
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);

        node.runs.signal(id, "approval", 7);
        node.sagas.signal(id, "approval", "yes");

        awaitState(node, id, RunState.COMPLETED);
        assertThat(effects).containsExactly("yes");
    }

    @Test
    void aStepWithATooLargeResultIsCompensatedAndNotRetried() {
        SagaNode node = node(saga -> saga.step("charge", context -> effect("charge") + "x".repeat(LARGEST))
                .retry(retry().max(3).delay(Duration.ZERO))
                .compensate(context -> effect("refund")));

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("charge", "refund");
        assertThat(step(node, id, "charge").error()).satisfies(error -> {
            assertThat(error.type()).isEqualTo(StepError.CONTEXT);
            assertThat(error.message()).contains("has taken effect", "100000 are allowed");
        });
    }

    @Test
    void aTransactionalStepWithATooLargeResultIsNeitherCompensatedNorRetried() {
        SagaNode node = node(saga -> saga.step("charge", context -> effect("charge") + "x".repeat(LARGEST))
                .dedupe()
                .retry(retry().max(3).delay(Duration.ZERO))
                .compensate(context -> effect("refund")));

        RunId id = start(node);
        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("charge");
    }

    record Times(OffsetDateTime at, ZonedDateTime in) {}

    @Test
    void aTimeKeepsItsOffsetAndItsZone() {
        Times times = new Times(
                OffsetDateTime.parse("2026-03-01T00:30:00+13:00"),
                ZonedDateTime.parse("2026-03-01T00:30:00+01:00[Europe/Berlin]"));
        SagaNode node = node(saga -> {
            saga.step("look", context -> times);
            saga.step(
                    "read",
                    context -> effect(
                            context.get("at", OffsetDateTime.class) + " " + context.get("in", ZonedDateTime.class)));
        });

        RunId id = start(node);
        awaitState(node, id, RunState.COMPLETED);
        await().atMost(SOON).until(() -> !effects.isEmpty());

        assertThat(effects).containsExactly(times.at() + " " + times.in());
    }
}
