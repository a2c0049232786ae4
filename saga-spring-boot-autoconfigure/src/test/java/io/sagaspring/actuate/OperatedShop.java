package io.sagaspring.actuate;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ApplicationListener;

/** Base class of tests in which operators with write access handle claims and background work over HTTP. */
abstract class OperatedShop {

    private static TestDatabase database;
    static Shop shop;
    static Http http;
    static final List<ClaimRecovered> events = new CopyOnWriteArrayList<>();

    final CountDownLatch arrived = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);
    long parcel;

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Http.Users.class),
                Http.ON_ANY_PORT,
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.sagaclaims.access=unrestricted",
                "management.endpoint.sagadue.access=unrestricted",
                "saga.due.max-attempts=1");
        http = new Http(shop);
        shop.context()
                .addApplicationListener(ApplicationListener.forPayload((ClaimRecovered event) -> events.add(event)));
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void reset() {
        parcel = shop.pack();
        events.clear();
        shop.database().sql("DELETE FROM saga_due").update();
        shop.script().afterEffect = (entity, context) -> {};
        shop.script().action = (entity, context) -> ActionResult.success();
    }

    /** Starts an owner that waits inside its action. Its claim is committed. */
    CompletableFuture<TransitionOutcome> claim(boolean written) throws InterruptedException {
        return claim(parcel, written);
    }

    CompletableFuture<TransitionOutcome> claim(long id) throws InterruptedException {
        return claim(id, false);
    }

    CompletableFuture<TransitionOutcome> claim(long id, boolean written) throws InterruptedException {
        shop.script().action = (entity, context) -> {
            entity.note("by the owner");
            if (written) {
                shop.bean(EntityManager.class).flush();
            }
            arrived.countDown();
            // The keeper may interrupt the action. The action continues anyway, because the fence must stop an owner
            // that ignores the interrupt, too.
            boolean waiting = true;
            while (waiting) {
                try {
                    waiting = !released.await(60, SECONDS);
                } catch (InterruptedException ignored) {
                    assertThat(context.token()).isPresent();
                }
            }
            return ActionResult.success();
        };
        CompletableFuture<TransitionOutcome> owner = OwnThread.call(() -> shop.send(id));
        assertThat(arrived.await(20, SECONDS)).isTrue();
        return owner;
    }

    TransitionOutcome finish(CompletableFuture<TransitionOutcome> owner) throws Exception {
        released.countDown();
        return owner.get(20, SECONDS);
    }
}
