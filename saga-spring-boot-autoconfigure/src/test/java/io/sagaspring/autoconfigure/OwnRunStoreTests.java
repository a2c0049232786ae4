package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import java.lang.reflect.Proxy;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application with a run store of its own and no database has the beans of runs and sagas. All jars are on its class
 * path. The test kit contains a store of this kind, and its tests check that runs and sagas complete with it.
 */
class OwnRunStoreTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SchemaAutoConfiguration.class,
                    FoundationAutoConfiguration.class,
                    IdempotencyAutoConfiguration.class,
                    NoIdempotencyAutoConfiguration.class,
                    LeaseAutoConfiguration.class,
                    NoLeaseAutoConfiguration.class,
                    WorkflowAutoConfiguration.class,
                    NoWorkflowAutoConfiguration.class,
                    RunAutoConfiguration.class,
                    SagaAutoConfiguration.class,
                    ActuateAutoConfiguration.class));

    @Configuration(proxyBeanMethods = false)
    static class OwnStore {

        /** Returns a store that records nothing, because this application has no run to execute. */
        @Bean
        RunStore store() {
            return (RunStore) Proxy.newProxyInstance(
                    RunStore.class.getClassLoader(),
                    new Class<?>[] {RunStore.class},
                    (store, method, arguments) -> switch (method.getName()) {
                        case "guarantee" -> RunStore.Guarantee.EXACT;
                        case "purge" -> 0;
                        case "hashCode" -> System.identityHashCode(store);
                        case "equals" -> store == arguments[0];
                        case "toString" -> "a store of its own";
                        default -> throw new AssertionError("Unexpected call of the store: " + method);
                    });
        }
    }

    @Test
    void runsAndSagasAreAvailableWithoutADataSource() {
        runner.withUserConfiguration(OwnStore.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context).hasSingleBean(Runs.class);
            assertThat(context).hasSingleBean(Sagas.class);
            assertThat(context).doesNotHaveBean(DataSource.class);
            assertThat(context).doesNotHaveBean(OwnTransactions.class);
        });
    }

    /** The auto-configuration of another library, which provides the store. */
    @AutoConfiguration(before = FoundationAutoConfiguration.class)
    static class AnotherLibrary {

        @Bean
        RunStore storeOfAnotherLibrary() {
            return new OwnStore().store();
        }
    }

    @Test
    void anAutoConfigurationCanProvideTheRunStore() {
        runner.withConfiguration(AutoConfigurations.of(AnotherLibrary.class)).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context).hasSingleBean(Keeper.class);
            assertThat(context).hasSingleBean(Runs.class);
        });
    }

    @Test
    void runsAndTheKeeperAreAbsentWithoutAStoreAndADataSource() {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context).doesNotHaveBean(Keeper.class);
            assertThat(context).doesNotHaveBean(Runs.class);
        });
    }

    @Test
    void runsAreAbsentIfTheLibraryIsSwitchedOff() {
        runner.withUserConfiguration(OwnStore.class)
                .withPropertyValues("saga.enabled=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context).doesNotHaveBean(Runs.class);
                });
    }
}
