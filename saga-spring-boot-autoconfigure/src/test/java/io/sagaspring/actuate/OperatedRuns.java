package io.sagaspring.actuate;

import static org.awaitility.Awaitility.await;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.run.Step;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Bank;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Base class of tests in which operators see runs and decide about them over HTTP. */
abstract class OperatedRuns {

    static final Duration SOON = Duration.ofSeconds(20);
    private static TestDatabase database;
    static Shop shop;
    static Http http;

    /** Charges a card when a signal brings the amount. */
    static final class Charge implements DurableRun<String, String> {

        volatile boolean broken;

        @Override
        public String run(RunContext run, String card) {
            String amount = run.awaitSignal("amount", String.class);
            return run.step("charge", String.class, () -> {
                if (broken) {
                    return Bank.connect();
                }
                return card + amount;
            });
        }
    }

    /** Wires money in a step that must not be repeated. */
    static final class Wire implements DurableRun<String, String> {

        static final Step STEP = Step.of("wire").notRepeatable();

        @Override
        public String run(RunContext run, String account) {
            return "%s:%s".formatted(account, run.step(STEP, String.class, () -> "wired"));
        }
    }

    /** A saga whose second step never succeeds. */
    static final class Trip implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("book", context -> "secret-seat").compensate(context -> {});
            saga.step("pay", context -> Bank.pay());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Charging {

        @Bean
        Wire wire() {
            return new Wire();
        }

        @Bean
        Trip trip() {
            return new Trip();
        }

        @Bean
        Http.Users users() {
            return new Http.Users();
        }

        @Bean
        Charge charge() {
            return new Charge();
        }
    }

    @BeforeAll
    static void openForWriting() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = open("management.endpoint.sagaruns.access=unrestricted");
        http = new Http(shop);
    }

    static Shop open(String... properties) {
        return Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Charging.class),
                Stream.concat(
                                Stream.of(Http.ON_ANY_PORT, "management.endpoints.web.exposure.include=*"),
                                Stream.of(properties))
                        .toArray(String[]::new));
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void repairTheBank() {
        shop.bean(Charge.class).broken = false;
    }

    static RunId waiting(Shop shop) {
        RunId id = shop.bean(Runs.class).start(Charge.class, "card-0815").id();
        awaitState(id, RunState.WAITING);
        return id;
    }

    static void awaitState(RunId id, RunState state) {
        await().atMost(SOON)
                .until(() -> shop.bean(Runs.class).find(id).orElseThrow().state() == state);
    }

    static RunId failed() {
        shop.bean(Charge.class).broken = true;
        RunId id = waiting(shop);
        shop.bean(Runs.class).signal(id, "amount", "twelve euros");
        awaitState(id, RunState.FAILED);
        return id;
    }

    /** Inserts a run whose node seems to have died inside the step. */
    static RunId inDoubt() {
        RunId id = RunId.next();
        shop.database().sql("""
                INSERT INTO saga_run (id, run, state, format, input, started_at, token)
                VALUES (?::uuid, 'wire', 'in_doubt', 'json', '"account"', clock_timestamp(), 1)""").param(id.toString()).update();
        shop.database().sql("""
                INSERT INTO saga_step (run_id, position, step, call, mark, token, at)
                VALUES (?::uuid, 0, 'wire', 'STEP', 'INTENT', 1, clock_timestamp())""").param(id.toString()).update();
        return id;
    }
}
