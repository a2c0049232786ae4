package io.sagaspring.listener;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.run.CarriedContext;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.RunCarrier;
import io.sagaspring.run.StepTransactions;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** A node that delivers events to listeners, in this process. */
public final class ListenerNode implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(30);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    final Keeper keeper;
    final DeliveryStore store;
    final List<DeliveryEvent> events = new CopyOnWriteArrayList<>();
    final List<DeliveryObserver> observers =
            new CopyOnWriteArrayList<>(List.of((listener, event, delivery) -> events.add(event)));
    public final ListenerEngine engine;

    /**
     * The settings of a node.
     *
     * @param byId the properties of listeners
     * @param poll the time between two searches for deliveries
     * @param lease the duration of a lease after its last heartbeat
     * @param longest the longest duration of an attempt
     * @param grace the time that deliveries in progress get when the node closes
     * @param tenants the tenants
     * @param carriers the carriers of the publishers' context
     */
    public record Settings(
            Map<String, ListenerSettings.Of> byId,
            Duration poll,
            Duration lease,
            Duration longest,
            Duration grace,
            Tenants tenants,
            List<RunCarrier> carriers) {

        public static Settings standard() {
            return new Settings(
                    Map.of(),
                    Duration.ofMillis(50),
                    LEASE,
                    Duration.ofMinutes(5),
                    Duration.ofMillis(50),
                    Tenants.none(),
                    List.of());
        }

        public Settings with(Map<String, ListenerSettings.Of> properties) {
            return new Settings(properties, poll, lease, longest, grace, tenants, carriers);
        }

        public Settings lease(Duration duration) {
            return new Settings(byId, poll, duration, longest, grace, tenants, carriers);
        }

        Settings longest(Duration duration) {
            return new Settings(byId, poll, lease, duration, grace, tenants, carriers);
        }

        Settings of(Tenants known, List<RunCarrier> used) {
            return new Settings(byId, poll, lease, longest, grace, known, used);
        }
    }

    public ListenerNode(
            SagaSchema schema, DataSource connections, String name, Settings settings, Object... listeners) {
        this.keeper = new Keeper(connections, settings.lease().dividedBy(3), ElapsedClock.OF_THIS_MACHINE);
        this.store = new PostgresDeliveryStore(
                schema, name, new OwnTransactions(connections), connections, settings.lease());
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (int each = 0; each < listeners.length; each++) {
            beans.registerSingleton("bean" + each, listeners[each]);
        }
        OwnTransactions own = new OwnTransactions(connections);
        JsonPayloadCodec codec = new JsonPayloadCodec(100_000);
        this.engine = new ListenerEngine(
                new ListenerEngine.Parts(
                        store,
                        () -> ListenerCatalog.read(
                                beans,
                                codec,
                                new ListenerSettings(
                                        settings.byId(),
                                        4,
                                        Duration.ofMinutes(1),
                                        Duration.ofMinutes(1),
                                        true,
                                        property -> "")),
                        beans::getBean,
                        new CarriedContext(new Payloads(codec), settings.carriers(), settings.tenants()),
                        codec,
                        StepTransactions.of(() -> new DataSourceTransactionManager(connections), connections, own),
                        () -> observers),
                new ListenerEngine.Settings(settings.poll(), settings.lease(), settings.longest(), settings.grace()));
    }

    public ListenerNode opened() {
        keeper.start();
        engine.open(keeper, threads);
        return this;
    }

    /** Delivers everything that is due, on this thread. */
    int sweep() {
        return engine.sweep(keeper);
    }

    Deliveries deliveries() {
        return engine.deliveries();
    }

    @Override
    public void close() {
        engine.close();
        keeper.close();
        threads.shutdownNow();
    }
}
