package io.sagaspring.actuate;

import static org.awaitility.Awaitility.await;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Base class of tests in which a person requests operations over HTTP. */
abstract class RequestedOperations {

    static final Duration SOON = Duration.ofSeconds(20);
    static final String RUNS = "/actuator/sagaruns";

    private static TestDatabase database;
    static Shop shop;
    static Http ada;

    static final class Charge implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String card) {
            return "%s %s".formatted(card, run.awaitSignal("amount", Integer.class));
        }
    }

    static final class Parcel implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("ship", context -> null).async();
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

        @Bean
        Http.Users users() {
            return new Http.Users();
        }
    }

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = open("management.endpoints.access.default=unrestricted");
        ada = new Http(shop).as("ada");
    }

    static Shop open(String access) {
        return Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Code.class),
                Http.ON_ANY_PORT,
                "management.endpoints.web.exposure.include=*",
                "saga.sagas.callback-keys=a-secret-of-at-least-32-characters",
                access);
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

    static Runs runs() {
        return shop.bean(Runs.class);
    }

    static void awaitState(RunId id, RunState state) {
        await().atMost(SOON).until(() -> runs().find(id).orElseThrow().state() == state);
    }

    static RunId charge() {
        RunId id = runs().start(Charge.class, "card").id();
        awaitState(id, RunState.WAITING);
        return id;
    }
}
