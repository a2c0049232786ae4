package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.SagaResult;
import io.sagaspring.saga.Sagas;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Runs and sagas work with the application's own store and without a database. */
class RunsWithoutADataSourceTests {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Library.class);

    /**
     * Imports every auto-configuration that could need a database, even those whose jars are missing here. A file with
     * this annotation's name lists them, in the same way as for an application's own test slice.
     */
    @ImportAutoConfiguration
    @Retention(RetentionPolicy.RUNTIME)
    @interface WithoutADatabase {}

    @Configuration(proxyBeanMethods = false)
    @WithoutADatabase
    static class Library {}

    static final class Greet implements DurableRun<String, String> {
        @Override
        public String run(RunContext run, String name) {
            String greeting = run.step("greet", String.class, () -> "Hello " + name);
            run.sleep("pause", Duration.ofMillis(1));
            return greeting + run.awaitSignal("mark", String.class);
        }
    }

    static final class Transact implements DurableRun<String, String> {
        @Override
        public String run(RunContext run, String name) {
            return run.transactionalStep("write", String.class, () -> name);
        }
    }

    static final class Order implements Saga<String> {
        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("charge", context -> "charged " + context.input());
            saga.waitForSignal("approval");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnStore {

        @Bean
        RunStore store() {
            return new MemoryRunStore(
                    "node", ElapsedClock.OF_THIS_MACHINE, Duration.ofSeconds(30), Duration.ofDays(30));
        }

        @Bean
        Greet greet() {
            return new Greet();
        }

        @Bean
        Transact transact() {
            return new Transact();
        }

        @Bean
        Order order() {
            return new Order();
        }
    }

    @Test
    void runsAndSagasNeedNoDataSource() {
        runner.withUserConfiguration(OwnStore.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context).doesNotHaveBean(DataSource.class);
            assertThat(context).doesNotHaveBean(OwnTransactions.class);
            Runs runs = context.getBean(Runs.class);
            Sagas sagas = context.getBean(Sagas.class);

            RunHandle<String> greeting = runs.start(Greet.class, "Ada", RunOptions.withKey("greet:ada"));
            runs.signal(greeting.id(), "mark", "!");
            SagaHandle order = sagas.start(Order.class, "o-1");
            sagas.signal(order.id(), "approval", "yes");

            assertThat(greeting.await(SOON)).isEqualTo("Hello Ada!");
            SagaResult ended = sagas.await(order.id(), SOON);
            assertThat(ended.state()).isEqualTo(RunState.COMPLETED);
            assertThat(ended.get("charge", String.class)).isEqualTo("charged o-1");
            assertThat(context.getBean(Keeper.class).trouble()).isNull();
        });
    }

    @Test
    void aTransactionalStepReportsTheMissingDataSource() {
        runner.withUserConfiguration(OwnStore.class).run(context -> {
            Runs runs = context.getBean(Runs.class);

            RunHandle<String> run = runs.start(Transact.class, "Ada");

            assertThat(runs.awaitEnd(run.id(), SOON)).isTrue();
            assertThat(runs.find(run.id()).orElseThrow())
                    .satisfies(seen -> assertThat(seen.state()).isEqualTo(RunState.FAILED))
                    .satisfies(seen -> assertThat(seen.error()).contains("the application has no DataSource"));
        });
    }
}
