package io.sagaspring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.operations.OperationPerformed.Outcome;
import io.sagaspring.operations.OperationResult.Result;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.Retry;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.Sagas;
import io.sagaspring.saga.StepState;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A person signals runs and sagas, and calls back instead of another system. */
class MessageOperationsTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Operator ADA = Operator.named("ada");

    private static TestDatabase database;
    private static Shop shop;

    static final class Charge implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String card) {
            return "%s %s".formatted(card, run.awaitSignal("amount", Integer.class));
        }
    }

    static final class Parcel implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("ship", context -> null)
                    .async()
                    .retry(Retry.retry().max(2).delay(Duration.ofMillis(1)));
            saga.waitForSignal("approval");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Code {

        @Bean
        Charge charge() {
            return new Charge();
        }

        @Bean
        Parcel parcel() {
            return new Parcel();
        }
    }

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = Shop.open(
                database,
                application -> application.sources(Code.class),
                "saga.sagas.callback-keys=a-secret-of-at-least-32-characters");
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void empty() {
        shop.database().sql("TRUNCATE saga_audit").update();
    }

    private static RunId charge() {
        RunId id = shop.bean(Runs.class).start(Charge.class, "card").id();
        awaitState(id, RunState.WAITING);
        return id;
    }

    private static RunId parcel() {
        RunId id = shop.bean(Sagas.class).start(Parcel.class, "books").id();
        awaitStep(id, "ship", 1);
        return id;
    }

    private static void awaitState(RunId id, RunState state) {
        await().atMost(SOON)
                .until(() -> shop.bean(Runs.class).find(id).orElseThrow().state() == state);
    }

    private static ExecutionView saga(RunId id) {
        return shop.bean(Sagas.class).find(id).orElseThrow();
    }

    private static void awaitStep(RunId id, String step, int attempt) {
        Predicate<ExecutionView> waits = found -> found.step(step)
                .filter(each -> each.state() == StepState.WAITING && each.attempt() == attempt)
                .isPresent();
        await().atMost(SOON).until(() -> saga(id), waits);
    }

    private static RunOperations runs() {
        return shop.bean(RunOperations.class);
    }

    private static CallbackOperations callbacks() {
        return shop.bean(CallbackOperations.class);
    }

    private static OperationPerformed latest() {
        return shop.bean(AuditLog.class).list(AuditQuery.latest(1)).get(0).operation();
    }

    private static void assertAudited(OperationResult result, String operation, RunId id) {
        assertThat(latest().operation()).isEqualTo(operation);
        assertThat(latest().target()).isEqualTo(new OperationTarget("run", id.toString(), null));
        assertThat(latest().operator()).isEqualTo(ADA);
        assertThat(latest().outcome()).isEqualTo(Outcome.valueOf(result.result().name()));
        assertThat(latest().message()).isEqualTo(result.message());
    }

    @Test
    void aRunGetsASignalOnceForEachKey() throws Exception {
        RunId id = charge();

        OperationResult sent = runs().signal(id, "amount", "k-1", "7", ADA);

        assertThat(sent.wasDone()).isTrue();
        assertAudited(sent, "run.signal", id);
        assertThat(shop.bean(Runs.class).handle(id, Charge.class).await(SOON)).isEqualTo("card 7");
        OperationResult late = runs().signal(id, "amount", null, "8", ADA);
        assertThat(late.result()).isEqualTo(Result.REFUSED);
        assertAudited(late, "run.signal", id);
        RunId other = charge();
        assertThat(runs().signal(other, "other", "k-1", "1", ADA).wasDone()).isTrue();
        OperationResult repeated = runs().signal(other, "other", "k-1", "1", ADA);
        assertThat(repeated.result()).isEqualTo(Result.REFUSED);
        assertThat(repeated.message()).contains("with this key");
    }

    @Test
    void aSignalThatCannotBeSentChangesNothing() {
        RunId id = charge();

        assertThatThrownBy(() -> runs().signal(id, "amount", null, "secret", ADA))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("The payload is not JSON (line 1, column");
        assertThat(latest().outcome()).isEqualTo(Outcome.INVALID);
        assertThat(latest().message()).doesNotContain("secret");
        assertThatThrownBy(() -> runs().signal(id, "a\0b", null, "7", ADA))
                .isInstanceOf(InvalidOperationException.class);
        assertThatThrownBy(() -> runs().signal(id, "amount", "x".repeat(501), "7", ADA))
                .isInstanceOf(InvalidOperationException.class);
        OperationResult unknown = runs().signal(RunId.next(), "amount", null, "7", ADA);
        assertThat(unknown.result()).isEqualTo(Result.UNKNOWN);
        shop.database()
                .sql("UPDATE saga_run SET run = 'elsewhere' WHERE id = ?")
                .param(id.value())
                .update();
        OperationResult elsewhere = runs().signal(id, "amount", null, "7", ADA);
        assertThat(elsewhere.result()).isEqualTo(Result.REFUSED);
        assertThat(elsewhere.message()).contains("lacks the code");
        shop.database()
                .sql("UPDATE saga_run SET run = 'charge' WHERE id = ?")
                .param(id.value())
                .update();
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().state()).isEqualTo(RunState.WAITING);
    }

    @Test
    void aPersonCallsBackAndTheSagaContinues() {
        RunId id = parcel();

        OperationResult failed = callbacks().fail(id, "ship", "the parcel is lost", ADA);

        assertThat(failed.wasDone()).isTrue();
        assertAudited(failed, "callback.fail", id);
        assertThat(latest().reason()).isEqualTo("the parcel is lost");
        awaitStep(id, "ship", 2);
        OperationResult done = callbacks().complete(id, "ship", "\"tracking\"", ADA);
        assertThat(done.wasDone()).isTrue();
        assertAudited(done, "callback.complete", id);
        awaitStep(id, "approval", 1);
        assertThat(saga(id).context()).containsEntry("ship", "tracking");
        OperationResult late = callbacks().complete(id, "ship", "null", ADA);
        assertThat(late.result()).isEqualTo(Result.REFUSED);
        assertAudited(late, "callback.complete", id);
        assertThatThrownBy(() -> runs().signal(id, "consent", null, "true", ADA))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("Use one of [approval]");
        assertThat(runs().signal(id, "approval", null, "true", ADA).wasDone()).isTrue();
        awaitState(id, RunState.COMPLETED);
    }

    @Test
    void aCallbackNeedsASagaWithThisStep() {
        RunId id = parcel();

        assertThatThrownBy(() -> callbacks().fail(id, "approval", "why", ADA))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("Use one of [ship]");
        assertThat(latest().outcome()).isEqualTo(Outcome.INVALID);
        assertThatThrownBy(() -> callbacks().complete(id, "ship", "{", ADA))
                .isInstanceOf(InvalidOperationException.class);
        OperationResult noSaga = callbacks().complete(charge(), "ship", "1", ADA);
        assertThat(noSaga.result()).isEqualTo(Result.REFUSED);
        assertThat(noSaga.message()).contains("no execution of a saga");
        OperationResult unknown = callbacks().complete(RunId.next(), "ship", "1", ADA);
        assertThat(unknown.result()).isEqualTo(Result.UNKNOWN);
    }
}
