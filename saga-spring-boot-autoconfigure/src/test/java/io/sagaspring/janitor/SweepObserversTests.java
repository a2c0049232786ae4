package io.sagaspring.janitor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * A sweep completes even if its observers hang or throw. A few lines in the log name the claims that it could not free.
 */
@ExtendWith(OutputCaptureExtension.class)
class SweepObserversTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database);

    private final AtomicReference<Duration> clock = new AtomicReference<>(Duration.ZERO);
    private final List<String> recovered = new CopyOnWriteArrayList<>();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void removeAllParcelsAndTriggers() {
        shop.database().sql("TRUNCATE saga_claim, parcel").update();
        shop.database().sql("DROP TRIGGER IF EXISTS never ON parcel").update();
    }

    @Test
    @Timeout(60)
    void aHangingHookDoesNotStopASweep() throws Exception {
        CountDownLatch letGo = new CountDownLatch(1);
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        Sweep sweep = sweep(List.of(), claim -> {
            recovered.add(claim.id());
            wasInterrupted.compareAndSet(false, waits(letGo));
        });
        stuck(3);

        assertThat(OwnThread.call(sweep::run).get(30, SECONDS)).isEqualTo(3);
        assertThat(recovered).hasSize(1);
        stuck(2);
        assertThat(OwnThread.call(sweep::run).get(30, SECONDS)).isEqualTo(2);
        assertThat(sweep.hangingHooks()).isEmpty();

        clock.set(Duration.ofSeconds(31));
        sweep.runIfDue();
        assertThat(sweep.hangingHooks())
                .isEqualTo(Map.of("The janitor hook or an event listener of module 'shop'", Duration.ofSeconds(31)));

        letGo.countDown();
        await().atMost(20, SECONDS).until(() -> recovered.size() == 5);
        assertThat(wasInterrupted).isTrue();
        assertThat(sweep.hangingHooks()).isEmpty();
    }

    @Test
    @Timeout(60)
    void aHangingHookDelaysAManualReleaseOnlyForAWhile() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        Sweep sweep = sweep(List.of(), claim -> {
            called.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException stopped) {
                recovered.add(claim.id());
            }
        });
        stuck(1);
        String id = shop.database()
                .sql("SELECT entity_id FROM saga_claim")
                .query(String.class)
                .single();
        ClaimedRow row = shop.bean(ClaimRecovery.class).find(table().name(), id).orElseThrow();
        AtomicBoolean isStillInterrupted = new AtomicBoolean();

        CompletableFuture<ClaimRecovery.Recovered> released = OwnThread.call(() -> {
            ClaimRecovery.Recovered freed = sweep.release(row, "'ada'");
            isStillInterrupted.set(Thread.currentThread().isInterrupted());
            return freed;
        });
        assertThat(called.await(30, SECONDS)).isTrue();
        sweep.runIfDue();
        assertThat(released).isNotDone();
        clock.set(SweepObserver.LIMIT.plusSeconds(1));
        sweep.runIfDue();

        assertThat(released.get(30, SECONDS)).isEqualTo(ClaimRecovery.Recovered.FREED);
        assertThat(recovered).containsExactly(id);
        assertThat(isStillInterrupted).isFalse();
        assertThat(sweep.hangingHooks()).isEmpty();
    }

    @Test
    @Timeout(60)
    void aHangingListenerDoesNotKeepOthersFromBeingNotified() throws Exception {
        CountDownLatch letGo = new CountDownLatch(1);
        SweepListener hanging = new SweepListener() {
            @Override
            public void recovered(ClaimRecovered claim) {
                boolean unused = waits(letGo);
            }
        };
        List<String> notified = new CopyOnWriteArrayList<>();
        SweepListener other = new SweepListener() {
            @Override
            public void recovered(ClaimRecovered claim) {
                notified.add(claim.id());
            }
        };
        Sweep sweep = sweep(List.of(hanging, other), claim -> recovered.add(claim.id()));
        stuck(3);

        assertThat(OwnThread.call(sweep::run).get(30, SECONDS)).isEqualTo(3);

        assertThat(notified).hasSize(3);
        assertThat(recovered).containsExactlyElementsOf(notified);
        letGo.countDown();
    }

    @Test
    void aSlowHookGetsEveryCall() {
        SweepObserver observer = new SweepObserver("a hook", clock::get);
        for (int call = 0; call < SweepObserver.ROOM + 50; call++) {
            int number = call;
            observer.enqueue(() -> {
                LockSupport.parkNanos(500_000);
                recovered.add(Integer.toString(number));
            });
        }

        observer.settle(Duration.ofSeconds(30));

        assertThat(recovered).hasSize(SweepObserver.ROOM + 50);
    }

    @Test
    void aHookGetsItsPendingCallsAtTheShutdown() {
        CountDownLatch letGo = new CountDownLatch(1);
        SweepObserver observer = new SweepObserver("a hook", clock::get);
        observer.enqueue(() -> {
            boolean unused = waits(letGo);
        });
        observer.enqueue(() -> recovered.add("the rest"));
        observer.settle(Duration.ZERO);

        letGo.countDown();
        observer.close(Duration.ofSeconds(30));

        assertThat(recovered).containsExactly("the rest");
    }

    @Test
    void theCallsWaitingForAHangingHookAreBounded() {
        CountDownLatch letGo = new CountDownLatch(1);
        CountDownLatch called = new CountDownLatch(1);
        SweepObserver observer = new SweepObserver("a hook", clock::get);
        observer.enqueue(() -> {
            called.countDown();
            boolean unused = waits(letGo);
        });
        boolean unused = waits(called);
        clock.set(SweepObserver.LIMIT.plusSeconds(1));
        observer.interruptIfOverdue();
        for (int call = 0; call < SweepObserver.ROOM + 50; call++) {
            int number = call;
            observer.enqueue(() -> recovered.add(Integer.toString(number)));
        }

        letGo.countDown();

        await().atMost(20, SECONDS).until(() -> observer.awaitCalls(Duration.ofSeconds(1)));
        assertThat(recovered).hasSize(SweepObserver.ROOM);
    }

    @Test
    @ExpectsErrors("could not free claims (number: 700) for the reason below")
    void claimsThatCannotBeFreedForTheSameReasonAreLoggedInOneLine(CapturedOutput output) {
        shop.database().sql("""
                        CREATE OR REPLACE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN RAISE EXCEPTION ''parcel % stays'', NEW.id; END'""").update();
        Sweep sweep = sweep(List.of(), claim -> recovered.add(claim.id()));
        stuck(700);
        shop.database()
                .sql("CREATE TRIGGER never BEFORE UPDATE ON parcel FOR EACH ROW EXECUTE FUNCTION never()")
                .update();

        assertThat(sweep.run()).isZero();

        assertThat(output.getOut().lines().filter(line -> line.contains("could not free")))
                .singleElement()
                .asString()
                .contains(
                        "The janitor of module 'shop' could not free claims (number: 700) for the reason below, for example parcel ");
        assertThat(output.getOut().split("at io.sagaspring.janitor.Sweep.free\\(", -1))
                .as("stack traces, and the text before the first")
                .hasSizeLessThanOrEqualTo(3);
        assertThat(recovered).isEmpty();
    }

    /** Continues to wait even if it is interrupted, and returns true if it was interrupted. */
    private static boolean waits(CountDownLatch letGo) {
        boolean interrupted = false;
        while (true) {
            try {
                letGo.await();
                return interrupted;
            } catch (InterruptedException ignored) {
                interrupted = true;
            }
        }
    }

    private Sweep sweep(List<SweepListener> listeners, Consumer<ClaimRecovered> hook) {
        JanitorRegistry registry = new JanitorRegistry(
                shop.bean(DeclaredClaimStates.class),
                shop.bean(ClaimRecovery.class),
                shop.bean(SagaSchema.class),
                new JanitorRegistry.Settings(
                        Duration.ofHours(1),
                        module -> new Sweep.Settings(
                                Duration.ofHours(1), Duration.ofSeconds(1), Duration.ofMinutes(5), false)),
                clock::get,
                listeners,
                event -> {});
        registry.cover("shop", new ScheduledClaimJanitor() {
            @Override
            protected void recovered(ClaimRecovered claim) {
                hook.accept(claim);
            }
        });
        registry.start();
        return registry.sweep("shop").orElseThrow();
    }

    private static void stuck(int parcels) {
        shop.database().sql("""
                        WITH held AS (
                            INSERT INTO parcel (status, note, version)
                            SELECT 'SENDING', '', 1 FROM generate_series(1, ?) RETURNING id)
                        INSERT INTO saga_claim (entity, entity_id, workflow, module, claim_state, revert_to, requester, node,
                            attempt, token, claimed_at, alive_at)
                        SELECT ?, id::text, 'parcel', 'shop', 'SENDING', 'PACKED', 'admin', 'gone',
                            gen_random_uuid(), nextval('saga_token'), clock_timestamp(), clock_timestamp() FROM held""").params(parcels, table().name()).update();
        shop.silence(Duration.ofHours(1));
    }

    private static EntityTable table() {
        DeclaredClaimStates states = shop.bean(DeclaredClaimStates.class);
        ClaimState state = states.all().stream()
                .filter(each -> each.entity() == Parcel.class)
                .findFirst()
                .orElseThrow();
        return states.tableOf(state);
    }
}
