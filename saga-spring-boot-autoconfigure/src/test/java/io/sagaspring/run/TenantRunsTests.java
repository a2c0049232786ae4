package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A run belongs to the tenant in which it was started. This applies to its key, to its callers and to each node that
 * executes it.
 */
class TenantRunsTests extends RunsOnPostgres {

    private static final RunOptions KEY = RunOptions.withKey("key");

    private final ThreadTenants context = new ThreadTenants("a", "b");
    private final Tenants tenants = Tenants.of(context);
    private final List<String> heard = new CopyOnWriteArrayList<>();

    /** A listener that records each event and the tenant in which it was called. */
    private final class Hearing implements RunListener {

        private final String name;
        private final boolean inTenant;

        Hearing(String name, boolean inTenant) {
            this.name = name;
            this.inTenant = inTenant;
        }

        @Override
        public void happened(String run, RunId id, RunEvent event) {
            heard.add("%s %s %s".formatted(name, event, context.current()));
        }

        @Override
        public boolean needsTenant() {
            return inTenant;
        }
    }

    private RunNode tenantNode(Tale... tales) {
        return quietTenantNode(tales).opened();
    }

    private RunNode quietTenantNode(Tale... tales) {
        return added(builder("node-" + nodes.size()).tales(tales));
    }

    private RunNode.Builder builder(String name) {
        return RunNode.on(schema, connections, name).tenants(tenants).listener(new Hearing("all", true));
    }

    private RunId startIn(String tenant, RunNode node, RunOptions options) {
        return tenants.in(tenant, () -> node.runs.start(Tale.class, "", options))
                .id();
    }

    private String here(String part) {
        return effect(part + " in " + context.current());
    }

    @Test
    void aKeyIdentifiesOneRunInEachTenant() {
        RunNode node = quietTenantNode(tale((run, input) -> ""));

        RunId ofA = startIn("a", node, KEY);
        RunId ofB = startIn("b", node, KEY);
        RunId ofNone = node.runs.start(Tale.class, "", KEY).id();

        assertThat(List.of(ofA, ofB, ofNone)).doesNotHaveDuplicates();
        assertThat(startIn("a", node, KEY)).isEqualTo(ofA);
        assertThat(startIn("b", node, KEY)).isEqualTo(ofB);
        assertThat(node.runs.start(Tale.class, "", KEY).id()).isEqualTo(ofNone);
        assertThat(tenants.in("a", () -> found(node))).contains(ofA);
        assertThat(tenants.in("b", () -> found(node))).contains(ofB);
        assertThat(found(node)).contains(ofNone);
    }

    private static Optional<RunId> found(RunNode node) {
        return node.runs.find(Tale.class, "key").map(RunView::id);
    }

    @Test
    void aRunOfAnotherTenantIsUnknown() {
        RunNode node = quietTenantNode(tale((run, input) -> ""));
        RunId id = startIn("a", node, KEY);
        RunId ofNone = node.runs.start(Tale.class, "").id();

        tenants.in("b", () -> {
            for (RunId other : List.of(id, ofNone)) {
                assertThat(node.runs.find(other)).isEmpty();
                assertThatThrownBy(() -> node.runs.signal(other, "word", "")).isInstanceOf(NoSuchRunException.class);
                assertThatThrownBy(() -> node.runs.cancel(other, "spite")).isInstanceOf(NoSuchRunException.class);
                assertThatThrownBy(() -> node.runs.giveUp(other, "b")).isInstanceOf(NoSuchRunException.class);
                assertThatThrownBy(() -> node.runs.awaitEnd(other, Duration.ZERO))
                        .isInstanceOf(NoSuchRunException.class);
                assertThatThrownBy(() -> node.runs.reply(other, new RunReply("word", "word", null, text(""), true)))
                        .isInstanceOf(NoSuchRunException.class);
                assertThat(node.runs.retry(other)).isFalse();
                assertThat(node.runs.resolveAsNotDone(other, "step")).isFalse();
            }
            assertThat(node.runs.list(new RunQuery(null, Set.of(), null, 10))).isEmpty();
            return true;
        });
        assertThat(tenants.in("b", () -> node.runs.list(new RunQuery("tale", "key", "a", Set.of(), null, null, 10))))
                .isEmpty();

        assertThat(jdbc.sql("SELECT count(*) FROM saga_signal")
                        .query(Long.class)
                        .single())
                .isZero();
        assertThat(node.runs.find(id)).map(RunView::cancelReason).isEmpty();
        RunView seen = tenants.in("a", () -> node.runs.find(id)).orElseThrow();
        assertThat(seen.state()).isEqualTo(RunState.PENDING);
        assertThat(seen.tenant()).isEqualTo("a");
        assertThat(tenants.in("a", () -> node.runs.signal(id, "word", ""))).isEqualTo(SignalResult.ACCEPTED);
    }

    @Test
    void labelsAndCountsNeverShowRunsOfAnotherTenant() {
        RunNode node = quietTenantNode(tale((run, input) -> ""));
        RunId ofA = startIn("a", node, RunOptions.label("customer", "1"));
        RunId ofB = startIn("b", node, RunOptions.label("customer", "1"));
        RunQuery query = node.runs.queryOf(Tale.class).withLabel("customer", "1");

        assertThat(tenants.in("a", () -> node.runs.list(query)))
                .extracting(RunView::id)
                .containsExactly(ofA);
        assertThat(tenants.in("a", () -> node.runs.count(query))).isEqualTo(new RunCount(1, false));
        assertThat(tenants.in("a", () -> node.runs.list(query.ofTenant("b")))).isEmpty();
        assertThat(tenants.in("a", () -> node.runs.count(query.ofTenant("b")))).isEqualTo(new RunCount(0, false));
        assertThat(tenants.in("a", () -> node.runs.count(RunQuery.all().ofTenant(RunQuery.WITHOUT_TENANT))))
                .isEqualTo(new RunCount(0, false));
        assertThat(node.runs.list(query)).extracting(RunView::id).containsExactlyInAnyOrder(ofA, ofB);
        assertThat(node.runs.count(query.ofTenant("b"))).isEqualTo(new RunCount(1, false));
    }

    @Test
    void aCallerOutsideAllTenantsSeesAllRuns() {
        RunNode node = quietTenantNode(tale((run, input) -> ""));
        RunId ofA = startIn("a", node, KEY);
        RunId ofB = startIn("b", node, KEY);
        RunId ofNone = node.runs.start(Tale.class, "").id();
        RunQuery all = new RunQuery("tale", Set.of(), null, 10);

        assertThat(node.runs.list(all)).extracting(RunView::id).containsExactlyInAnyOrder(ofA, ofB, ofNone);
        assertThat(node.runs.list(all.ofTenant("b"))).extracting(RunView::id).containsExactly(ofB);
        assertThat(node.runs.find(ofA)).map(RunView::tenant).contains("a");
        assertThat(node.runs.cancel(ofA, "by an operator")).isTrue();
    }

    /** The second half is executed on a node that does not know the caller. */
    @Test
    void everyPartOfARunIsExecutedInItsTenantOnAnyNode() throws Exception {
        Tale tale = tale((run, input) -> {
            here("code");
            run.step("step", () -> here("step"));
            run.transactionalStep("booking", () -> here("booking"));
            String word = run.awaitSignal("word", String.class);
            here("after the signal");
            run.sleep("nap", Duration.ofMillis(1));
            here("after the nap");
            boolean silent = run.awaitSignal("silence", Duration.ofMillis(1), String.class)
                    .isEmpty();
            here("after the time-out " + silent);
            return word;
        });
        RunNode first = tenantNode(tale);
        RunHandle<String> handle = tenants.in("a", () -> first.runs.start(Tale.class, ""));
        awaitState(first, handle.id(), RunState.WAITING);
        first.close();
        RunNode second = tenantNode(tale);

        assertThat(second.runs.signal(handle.id(), "word", "go")).isEqualTo(SignalResult.ACCEPTED);
        awaitState(second, handle.id(), RunState.COMPLETED);

        assertThat(effects).isNotEmpty().allSatisfy(effect -> assertThat(effect).endsWith(" in a"));
        assertThat(effects)
                .contains(
                        "booking in a", "after the signal in a", "after the nap in a", "after the time-out true in a");
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(heard)
                        .contains("all STARTED a", "all SUSPENDED a", "all PICKED_UP a", "all COMPLETED a"));
        assertThat(heard).allSatisfy(each -> assertThat(each).endsWith(" a"));
        assertThat(context.current()).isNull();
    }

    @Test
    void aCancelledRunCleansUpInItsTenant() {
        RunNode node = tenantNode(tale((run, input) -> {
            try {
                return run.awaitSignal("never", String.class);
            } catch (RunStoppedException stopped) {
                run.step("tidy", () -> here("tidy"));
                throw stopped;
            }
        }));
        RunId id = startIn("b", node, RunOptions.within(Duration.ofMillis(1)));

        awaitState(node, id, RunState.FAILED);

        assertThat(effects).containsExactly("tidy in b");
    }

    private final class Child implements DurableRun<String, String> {

        @Override
        public String name() {
            return "child";
        }

        @Override
        public String run(RunContext run, String input) {
            return here("child");
        }
    }

    @Test
    void aRunThatAnotherRunStartsBelongsToTheSameTenant() {
        Tale parent = tale((run, input) -> {
            var unused = run.startFireAndForget("start", "child", "");
            return here("parent");
        });
        RunNode node =
                added(builder("node").beans(List.of(parent, new Child()))).opened();

        RunId id = startIn("a", node, KEY);

        awaitState(node, id, RunState.COMPLETED);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(effects).containsExactlyInAnyOrder("parent in a", "child in a"));
    }

    /** Entering a tenant may take a long time, and the thread that picks up runs works for all tenants. */
    @Test
    void theThreadThatPicksUpRunsEntersNoTenant() {
        Set<String> entering = ConcurrentHashMap.newKeySet();
        ThreadTenants watched = new ThreadTenants("a") {
            @Override
            public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
                entering.add(Thread.currentThread().getName());
                return super.call(tenant, work);
            }
        };
        RunNode node = added(RunNode.on(schema, connections, "node")
                .tenants(Tenants.of(watched))
                .listener(new Hearing("all", true))
                .tales(tale((run, input) -> "")));
        RunId id = Tenants.of(watched)
                .in("a", () -> node.runs.start(Tale.class, ""))
                .id();
        entering.clear();

        node.opened();

        awaitState(node, id, RunState.COMPLETED);
        await().atMost(SOON).untilAsserted(() -> assertThat(heard).contains("all PICKED_UP a", "all COMPLETED a"));
        assertThat(entering).isNotEmpty().noneMatch(name -> name.startsWith("saga-runs"));
    }

    @Test
    void aRunWithoutATenantIsNotExecutedInTheTenantOfTheThread() {
        RunNode node = added(builder("node").inline().tales(tale((run, input) -> here("code"))));
        node.runs.start(Tale.class, "");

        assertThat(tenants.in("a", node.engine::sweep)).isOne();

        assertThat(effects).containsExactly("code in null");
        assertThat(heard).contains("all PICKED_UP null", "all COMPLETED null");
    }

    @Test
    void listenersOfAStartInATransactionAreCalledInItsTenant() {
        RunNode node = quietTenantNode(tale((run, input) -> ""));

        transaction.executeWithoutResult(status -> startIn("a", node, KEY));

        assertThat(heard).containsExactly("all STARTED a");
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aRunWhoseTenantIsGoneIsBlockedAndDelaysNoOtherRun() throws Exception {
        Tale tale = tale((run, input) -> {
            run.step("step", () -> here("step"));
            return "done";
        });
        RunNode node = added(
                builder("node").slots(1).listener(new Hearing("counter", false)).tales(tale));
        List<RunId> lost = List.of(
                startIn("a", node, RunOptions.NONE), startIn("a", node, RunOptions.NONE), startIn("a", node, KEY));
        RunHandle<String> other = tenants.in("b", () -> node.runs.start(Tale.class, ""));
        heard.clear();
        context.remove("a");

        node.opened();

        assertThat(other.await(SOON)).isEqualTo("done");
        lost.forEach(id -> awaitState(node, id, RunState.BLOCKED));
        assertThat(effects).containsExactly("step in b");
        assertThat(node.runs.find(lost.get(0)).orElseThrow().error())
                .startsWith("The tenant 'a' of the run is not available, so nothing was executed.")
                .contains("There is no tenant a");
        await().atMost(SOON).untilAsserted(() -> assertThat(heard).contains("counter BLOCKED null"));
        assertThat(heard).noneMatch(each -> each.startsWith("all BLOCKED"));

        context.add("a");
        lost.forEach(id -> assertThat(node.runs.retry(id)).isTrue());

        lost.forEach(id -> awaitState(node, id, RunState.COMPLETED));
        assertThat(effects).containsExactlyInAnyOrder("step in b", "step in a", "step in a", "step in a");
    }

    @Test
    @ExpectsErrors("Blocked run")
    void aRunWhoseTenantIsGoneCanBeGivenUp() {
        RunNode node = quietTenantNode(tale((run, input) -> here("code")));
        RunId id = startIn("a", node, KEY);
        context.remove("a");
        node.opened();
        awaitState(node, id, RunState.BLOCKED);

        assertThat(node.runs.giveUp(id, "an operator")).isTrue();

        assertThat(stateOf(node, id)).isEqualTo(RunState.CANCELLED);
        assertThat(effects).isEmpty();
    }

    /** An application that no longer has tenants must not execute a tenant's runs without the tenant. */
    @Test
    @ExpectsErrors("Blocked run")
    void aNodeWithoutTenantsBlocksTheRunsOfATenant() {
        RunNode withTenants = quietTenantNode(tale((run, input) -> here("code")));
        RunId id = startIn("a", withTenants, KEY);

        RunNode without = node(tale((run, input) -> here("code")));

        awaitState(without, id, RunState.BLOCKED);
        assertThat(effects).isEmpty();
    }

    @Test
    void aStartWhoseTenantCannotBeStoredStartsNothing() {
        RunNode node = added(RunNode.on(schema, connections, "node")
                .tenants(Tenants.of(new ThreadTenants() {
                    @Override
                    public String current() {
                        return " ";
                    }
                }))
                .tales(tale((run, input) -> here("code"))));

        assertThatThrownBy(() -> node.runs.start(Tale.class, "")).isInstanceOf(IllegalStateException.class);

        assertThat(jdbc.sql("SELECT count(*) FROM saga_run").query(Long.class).single())
                .isZero();
    }

    @Test
    void aHandleOfAnotherTenantCannotBeAwaited() {
        RunNode node = quietTenantNode(tale((run, input) -> "secret"));
        RunHandle<String> handle = tenants.in("a", () -> node.runs.start(Tale.class, ""));

        assertThatThrownBy(() -> tenants.call("b", () -> handle.await(Duration.ZERO)))
                .isInstanceOf(NoSuchRunException.class);
        assertThatThrownBy(() -> tenants.call("a", () -> handle.await(Duration.ZERO)))
                .isInstanceOf(TimeoutException.class);
    }

    private static StoredValue text(String text) {
        return new StoredValue("json", "\"%s\"".formatted(text).getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
