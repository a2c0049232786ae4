package io.sagaspring.test.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.listener.DeliveryStore;
import io.sagaspring.listener.DeliveryStore.Addressee;
import io.sagaspring.listener.DeliveryStore.Ended;
import io.sagaspring.listener.DeliveryStore.PickedUp;
import io.sagaspring.listener.DeliveryStore.Publication;
import io.sagaspring.listener.PostgresDeliveryStore;
import io.sagaspring.run.StoredValue;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.DatabaseTemplate;
import io.sagaspring.test.database.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

class PostgresDeliveryStoreTests extends DeliveryStoreContract {

    static final class Installed implements DatabaseTemplate {

        @Override
        public void fill(DataSource dataSource) {
            SagaSchema.migrate(dataSource, null);
        }
    }

    private static final TestDatabase database = TestDatabase.create(Installed.class);
    private static final SagaSchema schema = SagaSchema.verify(database.dataSource(), null);
    private static final HikariDataSource pool = pool();
    private static final DeliveryStore store = open("one");
    private static final DeliveryStore another = open("other");
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    private final TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    private @Nullable Connection renewing;

    private static HikariDataSource pool() {
        HikariDataSource opened = new HikariDataSource();
        opened.setDataSource(database.dataSource());
        opened.setMinimumIdle(0);
        opened.setMaximumPoolSize(20);
        return opened;
    }

    private static DeliveryStore open(String node) {
        return new PostgresDeliveryStore(schema, node, new OwnTransactions(pool), pool, LEASE);
    }

    @AfterAll
    static void drop() {
        pool.close();
        database.close();
    }

    @AfterEach
    void close() throws SQLException {
        if (renewing != null) {
            renewing.close();
        }
    }

    @Override
    protected DeliveryStore store() {
        return store;
    }

    @Override
    protected DeliveryStore another() {
        return another;
    }

    @Override
    protected void pass(String of, Duration duration) {
        int unused = jdbc.sql(
                        "UPDATE saga_delivery SET due_at = due_at - ? * INTERVAL '1 millisecond' WHERE listener = ?")
                .params(duration.toMillis(), of)
                .update();
    }

    @Override
    protected Connection connection() {
        try {
            if (renewing == null) {
                renewing = database.dataSource().getConnection();
            }
            return renewing;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static void publish(String listener, String text) {
        store.publish(new Publication(
                "Event",
                null,
                new StoredValue("text", text.getBytes(StandardCharsets.UTF_8)),
                null,
                List.of(new Addressee(listener, "Event", 7, "key"))));
    }

    @Test
    void anEventIsDeliveredOnlyAfterTheCommitOfItsPublisher() {
        transaction.executeWithoutResult(status -> {
            publish("commit", "a");
            assertThat(pickOnAnotherThread("commit")).isEmpty();
        });

        assertThat(another.pick("commit", 10, 3)).hasSize(1);
    }

    @Test
    void anEventIsNotDeliveredIfTheTransactionOfItsPublisherRollsBack() {
        transaction.executeWithoutResult(status -> {
            publish("rollback", "a");
            status.setRollbackOnly();
        });

        assertThat(another.pick("rollback", 10, 3)).isEmpty();
    }

    @Test
    void anEventIsRefusedInAReadOnlyTransaction() {
        DefaultTransactionDefinition readOnly = new DefaultTransactionDefinition();
        readOnly.setReadOnly(true);
        TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(pool), readOnly);

        assertThatThrownBy(() -> template.executeWithoutResult(status -> publish("read-only", "a")))
                .hasMessageContaining("read-only");
    }

    @Test
    void anEventIsRefusedInATransactionOfAnotherDataSource() {
        TransactionTemplate foreign = new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));

        assertThatThrownBy(() -> foreign.executeWithoutResult(status -> publish("foreign", "a")))
                .hasMessageContaining("belongs to another data source");
        assertThat(another.pick("foreign", 10, 3)).isEmpty();
    }

    private static List<PickedUp> pickOnAnotherThread(String listener) {
        return CompletableFuture.supplyAsync(() -> another.pick(listener, 10, 3))
                .join();
    }

    /**
     * A delivery with a lower id may be committed while a later delivery is in progress. The line is then busy,
     * although the delivery with the lower id is its head.
     */
    @Test
    void anEarlierDeliveryThatIsCommittedLaterWaitsForTheDeliveryInProgress() {
        PickedUp[] later = new PickedUp[1];
        transaction.executeWithoutResult(status -> {
            publish("overlap", "earlier");
            CompletableFuture.runAsync(() -> publish("overlap", "later")).join();
            later[0] = pickOnAnotherThread("overlap").get(0);
        });
        assertThat(text(later[0])).isEqualTo("later");

        assertThat(another.pick("overlap", 10, 3)).isEmpty();
        assertThat(store.done(later[0].delivery())).isEqualTo(Ended.OTHERS_FOLLOW);
        assertThat(text(another.pick("overlap", 10, 3).get(0))).isEqualTo("earlier");
    }

    /**
     * The other node has picked up a delivery, but has not committed yet. Its lock on the line is the only sign of this
     * pickup.
     */
    @Test
    void aLineWhoseHeadAnotherNodeIsPickingUpIsSkipped() {
        transaction.executeWithoutResult(status -> {
            publish("locked", "earlier");
            CompletableFuture.runAsync(() -> publish("locked", "later")).join();
        });
        transaction.executeWithoutResult(status -> {
            assertThat(JdbcClient.create(pool)
                            .sql("SELECT pg_try_advisory_xact_lock(hashtextextended('locked', 7))")
                            .query(Boolean.class)
                            .single())
                    .isTrue();
            assertThat(pickOnAnotherThread("locked")).isEmpty();
        });

        assertThat(text(another.pick("locked", 10, 3).get(0))).isEqualTo("earlier");
    }
}
