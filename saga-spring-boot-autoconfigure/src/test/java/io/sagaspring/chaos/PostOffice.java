package io.sagaspring.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.listener.ListenerNode;
import io.sagaspring.listener.ListenerSettings;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Interference;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A node that publishes events ({@link Postbox.Letter}) and delivers them to a {@link Postbox}. */
final class PostOffice implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(1);

    final Interference interference = new Interference();
    final Postbox postbox;
    private final HikariDataSource pool = new HikariDataSource();
    private final JdbcClient books;
    private final TransactionTemplate transaction;
    private final ListenerNode node;

    PostOffice(String name, String url) {
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(12);
        pool.setMinimumIdle(0);
        DataSource watched = interference.watched(pool);
        this.books = JdbcClient.create(watched);
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(watched));
        this.postbox = new Postbox(books, name);
        ListenerNode.Settings settings = ListenerNode.Settings.standard()
                .with(Map.of("postbox", new ListenerSettings.Of(null, null, Duration.ofMillis(10), null, null)))
                .lease(LEASE);
        this.node =
                new ListenerNode(SagaSchema.migrate(pool, null), watched, name, settings, postbox, new Register(books));
    }

    static void createTables(JdbcClient client) {
        client.sql("CREATE TABLE counter (letter text PRIMARY KEY, number integer NOT NULL)")
                .update();
        client.sql("CREATE TABLE booked (letter text NOT NULL, number integer NOT NULL)")
                .update();
        client.sql("CREATE TABLE posted (letter text, number integer, PRIMARY KEY (letter, number))")
                .update();
        client.sql("""
                CREATE TABLE effect_received (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, delivery_key text NOT NULL,
                    letter text NOT NULL, number integer NOT NULL, node text NOT NULL)""").update();
    }

    /** Publishes the next event of a key. The lock on the counter serializes the publishers of a key. */
    void post(String key) {
        transaction.executeWithoutResult(status -> {
            int number = books.sql(
                            "INSERT INTO counter (letter, number) VALUES (?, 1) ON CONFLICT (letter) DO UPDATE SET number = counter.number + 1 RETURNING number")
                    .param(key)
                    .query(Integer.class)
                    .single();
            int unused = books.sql("INSERT INTO posted (letter, number) VALUES (?, ?)")
                    .params(key, number)
                    .update();
            node.engine.publish(new Postbox.Letter(key, number));
        });
    }

    PostOffice opened() {
        ListenerNode unused = node.opened();
        return this;
    }

    @Override
    public void close() {
        node.close();
        pool.close();
    }
}
