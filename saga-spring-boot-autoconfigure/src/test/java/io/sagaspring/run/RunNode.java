package io.sagaspring.run;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.queue.Queues;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A node that executes runs, in this process. */
public final class RunNode implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(30);

    private final ExecutorService threads;
    final List<RunEvent> events = new CopyOnWriteArrayList<>();
    final Keeper keeper;
    final RunStore store;
    public final RunEngine engine;
    final Runs runs;

    /** {@return the store of this node} */
    public RunStore store() {
        return store;
    }

    private RunNode(Builder made) {
        this.threads = made.isVirtual ? virtualThreads() : Executors.newCachedThreadPool();
        this.keeper = made.keeper;
        this.store = made.store;
        List<RunListener> listeners = new ArrayList<>(List.of((run, id, event) -> events.add(event)));
        listeners.addAll(made.listeners);
        this.engine = new RunEngine(
                new RunEngine.Parts(
                        store,
                        new RunCatalog(made.beans, made.code).pausing(made.paused),
                        new JsonPayloadCodec(100_000),
                        made.transactions,
                        made.carriers,
                        made.tenants,
                        made.queues),
                keeper,
                made.isInline ? Runnable::run : threads,
                new RunEngine.Settings(
                        made.attempts,
                        Duration.ofSeconds(1),
                        made.slowStep,
                        new Pickup.Settings("runs", made.slots, made.poll, made.lease, made.longest, made.grace),
                        made.defaults),
                listeners);
        this.runs = engine.runs();
    }

    /** Returns virtual threads, or platform threads on a JDK that has no virtual ones. */
    private static ExecutorService virtualThreads() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException old) {
            return Executors.newCachedThreadPool();
        }
    }

    /** Builds a node that stores runs on PostgreSQL, on the connections that its transactional steps use. */
    public static Builder on(SagaSchema schema, DataSource connections, String name) {
        OwnTransactions own = new OwnTransactions(connections);
        JdbcTransactionManager transactions = new JdbcTransactionManager(connections);
        return over(
                new PostgresRunStore(schema, name, own, connections, LEASE, Duration.ofDays(30), TestedCommits.COMMITS),
                new SpringStepTransactions(() -> transactions, connections, own),
                new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE));
    }

    /** Builds a node from these components. The node closes the keeper when it closes. */
    public static Builder over(RunStore store, StepTransactions transactions, Keeper keeper) {
        return new Builder(store, transactions, keeper);
    }

    /** Builds a node with the settings of a test. */
    public static final class Builder {

        private final RunStore store;
        private final StepTransactions transactions;
        private final Keeper keeper;
        private final List<RunListener> listeners = new ArrayList<>();
        private Collection<? extends DurableRun<?, ?>> beans = List.of();
        private Collection<RunCatalog.Code> code = List.of();
        private Tenants tenants = Tenants.none();
        private Collection<RunCarrier> carriers = List.of();
        private RunQueues.@Nullable Parts queues;
        private Supplier<Set<String>> paused = Set::of;
        private boolean isInline;
        private boolean isVirtual;
        private int attempts = 3;
        private Duration slowStep = Duration.ofMinutes(1);
        private int slots = 4;
        private Duration poll = Duration.ofMillis(50);
        private Duration lease = LEASE;
        private Duration longest = Duration.ofDays(1);
        private Duration grace = Duration.ofMillis(50);
        private StepDefaults defaults = StepDefaults.none();

        private Builder(RunStore store, StepTransactions transactions, Keeper keeper) {
            this.store = store;
            this.transactions = transactions;
            this.keeper = keeper;
        }

        /** {@return the node's store, for code that needs it before the node is built} */
        public RunStore store() {
            return store;
        }

        /** Sets the runs that the node can execute. */
        public Builder beans(Collection<? extends DurableRun<?, ?>> known) {
            this.beans = known;
            return this;
        }

        Builder tales(Tale... tales) {
            return beans(List.of(tales));
        }

        /** Sets the supplier of the names of the kinds that are paused. */
        Builder pausing(Supplier<Set<String>> reading) {
            this.paused = reading;
            return this;
        }

        /** Sets further code that the node can execute. */
        public Builder code(Collection<RunCatalog.Code> known) {
            this.code = known;
            return this;
        }

        public Builder listener(RunListener listener) {
            listeners.add(listener);
            return this;
        }

        /** Sets the tenants in which the runs are started and executed. */
        public Builder tenants(Tenants known) {
            this.tenants = known;
            return this;
        }

        /** Sets the carriers of the callers' context. */
        Builder carriers(Collection<RunCarrier> known) {
            this.carriers = known;
            return this;
        }

        /** Lets the node execute runs on the thread that starts a search for runs. */
        public Builder inline() {
            this.isInline = true;
            return this;
        }

        /** Lets the node execute runs on virtual threads. */
        Builder virtual(boolean virtual) {
            this.isVirtual = virtual;
            return this;
        }

        /** Declares queues. The node has as many slots for their runs as for other runs. */
        Builder queues(RunQueue... declared) {
            return queues(new RunQueues.Parts(
                    ((PostgresRunStore) store).queues(), () -> new Queues(List.of(declared), Map.of()), slots));
        }

        Builder queues(RunQueues.Parts parts) {
            this.queues = parts;
            return this;
        }

        public Builder attempts(int most) {
            this.attempts = most;
            return this;
        }

        /** Sets the retry policy and the time-out of all steps. */
        Builder defaults(StepDefaults known) {
            this.defaults = known;
            return this;
        }

        /** Sets the time after which a step that has not returned is logged. */
        public Builder slowStep(Duration after) {
            this.slowStep = after;
            return this;
        }

        public Builder slots(int count) {
            this.slots = count;
            return this;
        }

        public Builder poll(Duration interval) {
            this.poll = interval;
            return this;
        }

        /** Sets how long a run stays assigned after a heartbeat, and how long an attempt may last. */
        public Builder lease(Duration ttl, Duration longestAttempt) {
            this.lease = ttl;
            this.longest = longestAttempt;
            return this;
        }

        /** Sets how long a node that is shutting down lets its steps continue before it interrupts them. */
        public Builder grace(Duration time) {
            this.grace = time;
            return this;
        }

        /** {@return a node that does not pick up runs yet} */
        public RunNode build() {
            return new RunNode(this);
        }
    }

    /** Starts to pick up runs. */
    public RunNode opened() {
        engine.open();
        return this;
    }

    @Override
    public void close() {
        engine.close();
        keeper.close();
        threads.shutdownNow();
    }
}
