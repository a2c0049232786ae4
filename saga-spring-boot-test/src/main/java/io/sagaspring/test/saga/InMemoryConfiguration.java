package io.sagaspring.test.saga;

import io.sagaspring.run.StepTransactions;
import io.sagaspring.test.run.MemoryRunStore;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** Stores executions in memory. */
@Configuration(proxyBeanMethods = false)
@Import(SagaTestConfiguration.class)
class InMemoryConfiguration {

    @Bean
    @Fallback
    SagaClock sagaClock() {
        return new SagaClock(() -> MemoryRunStore.BEGINNING);
    }

    @Bean
    TestStore sagaTestStore(SagaClock clock, Environment environment) {
        return new InMemory(clock, TestSettings.of(environment));
    }

    private static final class InMemory implements TestStore {

        private final SagaClock clock;
        private final TestSettings settings;
        private MemoryRunStore store;

        InMemory(SagaClock clock, TestSettings settings) {
            this.clock = clock;
            this.settings = settings;
            this.store = empty();
        }

        private MemoryRunStore empty() {
            return new MemoryRunStore("node", clock::moved, settings.lease(), settings.retention());
        }

        @Override
        public void clear() {
            store = empty();
        }

        /** Returns the same store for every node, because all nodes of a test are in this process. */
        @Override
        public Stores of(String node) {
            return new Stores(store, store.queues());
        }

        @Override
        public StepTransactions transactions() {
            return (what, body, journal) -> journal.accept(body.call());
        }
    }
}
