package io.sagaspring.idempotency.http;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.WebApplicationType;

/** An application with the handlers of {@link Desk}, on a real server and a real database. */
final class Stand implements AutoCloseable {

    final TestDatabase database;
    final Shop shop;
    final Desk desk;
    final Http client;

    private Stand(TestDatabase database) {
        this.database = database;
        this.shop = Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Wiring.class, Desk.class),
                Http.ON_ANY_PORT,
                "saga.idempotency.http.max-request-size=%dB".formatted(Wiring.MAX_REQUEST),
                "saga.idempotency.max-reply-size=%dB".formatted(Wiring.MAX_REPLY),
                "spring.mvc.problemdetails.enabled=true");
        this.desk = shop.bean(Desk.class);
        this.client = new Http(shop);
    }

    static Stand open() {
        return new Stand(TestDatabase.create(MigratedSchema.class));
    }

    /** Restores the initial state for the next test. */
    void reset() {
        desk.runs.set(0);
        desk.work = (request, response) -> "done";
        shop.interference().none();
        shop.database().sql("DELETE FROM saga_idempotency_key").update();
    }

    /** Restarts the application on the same database. As far as one JVM allows, this simulates another process. */
    Stand restart() {
        shop.close();
        return new Stand(database);
    }

    /** Counts the statements about keys from now on, except those of the purge. */
    AtomicInteger countedStatements() {
        AtomicInteger count = new AtomicInteger();
        shop.interference().with(new Interference.Around() {
            @Override
            public void before(String sql, Connection connection) {
                if (Statements.isOf(sql, "key") && !Statements.isNamed(sql, "key.purge")) {
                    count.incrementAndGet();
                }
            }
        });
        return count;
    }

    int keys() {
        return shop.database()
                .sql("SELECT count(*) FROM saga_idempotency_key")
                .query(Integer.class)
                .single();
    }

    /** Makes the handler wait until the test lets it continue. */
    Parked park() {
        Parked parked = new Parked();
        Desk.Work then = desk.work;
        desk.work = (request, response) -> {
            parked.arrived.countDown();
            if (!parked.released.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The test did not let the handler go.");
            }
            return then.on(request, response);
        };
        return parked;
    }

    static final class Parked {

        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        /** Sends a request and waits until it reaches the handler. */
        CompletableFuture<Http.Answer> sent(Http.Asked request) throws InterruptedException {
            CompletableFuture<Http.Answer> answer = OwnThread.call(request::send);
            awaitArrival();
            return answer;
        }

        void awaitArrival() throws InterruptedException {
            if (!arrived.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("No request reached the handler.");
            }
        }

        void letGo() {
            released.countDown();
        }
    }

    @Override
    public void close() {
        shop.close();
        database.close();
    }
}
