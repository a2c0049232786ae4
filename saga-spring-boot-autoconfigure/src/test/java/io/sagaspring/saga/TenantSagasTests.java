package io.sagaspring.saga;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.SignalResult;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * An execution belongs to the tenant in which it was started. This applies to its key, its callers, its callbacks and
 * all its code.
 */
class TenantSagasTests extends SagasOnPostgres {

    private final ThreadTenants context = new ThreadTenants("a", "b");
    private final Tenants tenants = Tenants.of(context);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Map<String, String> tokens = new ConcurrentHashMap<>();

    private SagaNode tenantNode(Consumer<SagaDefinition<Order>> definition) {
        return added(new SagaNode(
                builder(),
                tenants,
                type -> Optional.empty(),
                event -> events.add(event.kind() + " " + context.current()),
                List.of((saga, step, code) -> {
                    here("around " + step.step());
                    return code.call();
                }),
                new ScriptedOrder(definition)));
    }

    private Object here(String what) {
        return effect(what + " in " + context.current());
    }

    private RunId startIn(String tenant, SagaNode node) {
        return tenants.in(tenant, () -> start(node));
    }

    private RunId startWithKeyIn(String tenant, SagaNode node) {
        return tenants.in(tenant, () -> node.sagas.start(ScriptedOrder.class, new Order("o-1", 4200)))
                .id();
    }

    @Test
    void aKeyIdentifiesOneExecutionInEachTenant() {
        SagaNode node = tenantNode(saga -> {
            saga.idempotencyKey(Order::id);
            saga.step("charge", step -> here("charge"));
        });

        RunId ofA = startWithKeyIn("a", node);
        RunId ofB = startWithKeyIn("b", node);

        assertThat(ofA).isNotEqualTo(ofB);
        assertThat(startWithKeyIn("a", node)).isEqualTo(ofA);
        awaitState(node, ofA, RunState.COMPLETED);
        awaitState(node, ofB, RunState.COMPLETED);
        assertThat(effects).contains("charge in a", "charge in b").hasSize(4);
    }

    @Test
    void allCodeOfAnExecutionIsCalledInItsTenant() {
        SagaNode node = tenantNode(saga -> {
            saga.step("charge", step -> here("charge")).compensate(step -> here("refund"));
            saga.step("ship", step -> {
                        tokens.put("ship", step.callbackToken());
                        return here("ship");
                    })
                    .async()
                    .retry(retry().max(1).delay(Duration.ofMillis(1)))
                    .compensate(step -> here("recall"));
            saga.step("pack", step -> here("pack")).runIf(step -> {
                here("condition");
                return true;
            });
            saga.step("label", step -> here("label")).async().timeout(Duration.ofMillis(20));
        });
        RunId id = startIn("a", node);
        awaitState(node, id, RunState.WAITING);

        // A request from outside names no tenant. Its token identifies the tenant.
        StepCallback callback = node.sagas.callback(id.toString(), "ship", tokens.get("ship"));
        assertThat(callback.complete("parcel").applied()).isTrue();

        awaitState(node, id, RunState.FAILED);
        assertThat(effects)
                .contains("charge in a", "around charge in a", "ship in a", "condition in a", "pack in a", "label in a")
                .contains("recall in a", "refund in a")
                .allSatisfy(effect -> assertThat(effect).endsWith(" in a"));
        assertThat(events)
                .contains("STEP_STARTED a", "STEP_COMPLETED_ASYNC a", "STEP_TIMEOUT a")
                .allSatisfy(event -> assertThat(event).endsWith(" a"));
        assertThat(context.current()).isNull();
    }

    @Test
    void aFireAndForgetStepIsExecutedInTheTenantOfItsExecution() throws Exception {
        SagaNode node =
                tenantNode(saga -> saga.step("mail", step -> here("mail")).fireAndForget());
        RunId id = startIn("b", node);

        SagaResult result = tenants.call("b", () -> node.sagas.await(id, SOON));
        ExecutionView view = node.sagas.find(id).orElseThrow();

        assertThat(result.state()).isEqualTo(RunState.COMPLETED);
        assertThat(view.tenant()).isEqualTo("b");
        assertThat(view.step("mail")).map(StepView::state).contains(StepState.COMPLETED);
        assertThat(effects).contains("mail in b");
    }

    @Test
    void anExecutionOfAnotherTenantIsUnknown() {
        SagaNode node = tenantNode(saga -> {
            saga.step("ship", step -> {
                        step.correlate("parcel-7");
                        tokens.put(String.valueOf(context.current()), step.callbackToken());
                        return null;
                    })
                    .async();
            saga.waitForSignal("approval");
        });
        RunId ofA = startIn("a", node);
        RunId ofB = startIn("b", node);
        awaitState(node, ofA, RunState.WAITING);
        awaitState(node, ofB, RunState.WAITING);

        tenants.in("b", () -> {
            assertThat(node.sagas.find(ofA)).isEmpty();
            assertThatThrownBy(() -> node.sagas.signal(ofA, "approval", "yes")).isInstanceOf(NoSuchRunException.class);
            assertThatThrownBy(() -> node.sagas.cancel(ofA, "spite")).isInstanceOf(NoSuchRunException.class);
            assertThatThrownBy(() -> node.sagas.callback(ofA, "ship")).isInstanceOf(NoSuchRunException.class);
            assertThatThrownBy(() -> node.sagas.await(ofA, Duration.ZERO)).isInstanceOf(NoSuchRunException.class);
            assertThatExceptionOfType(NoSuchCallbackException.class)
                    .isThrownBy(() -> node.sagas.callback(ofA.toString(), "ship", tokens.get("a")));
            assertThat(node.sagas.retry(ofA)).isFalse();
            assertThat(node.sagas.list(SagaQuery.of(ScriptedOrder.class)))
                    .extracting(ExecutionView::id)
                    .containsExactly(ofB);
            return assertThat(node.sagas.correlated("parcel-7").execution()).isEqualTo(ofB);
        });
        assertThat(tenants.in("a", () -> node.sagas.correlated("parcel-7").execution()))
                .isEqualTo(ofA);
        assertThatIllegalStateException().isThrownBy(() -> node.sagas.correlated("parcel-7"));

        assertThat(tenants.in("a", () -> node.sagas.signal(ofA, "approval", "yes")))
                .isEqualTo(SignalResult.ACCEPTED);
    }

    @Test
    void aCallbackOfARemovedTenantIsStoredAndNotifiesNoListener() {
        SagaNode node = tenantNode(saga -> saga.step("ship", step -> null).async());
        RunId id = startIn("a", node);
        awaitState(node, id, RunState.WAITING);
        StepCallback callback = node.sagas.callback(id, "ship");
        node.engine.stop();
        context.remove("a");
        events.clear();

        assertThat(callback.complete("parcel").applied()).isTrue();

        assertThat(events).isEmpty();
        context.add("a");
        node.engine.open();
        awaitState(node, id, RunState.COMPLETED);
    }
}
