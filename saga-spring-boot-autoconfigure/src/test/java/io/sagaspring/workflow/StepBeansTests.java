package io.sagaspring.workflow;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.ResolvableType;

/**
 * The beans of a step are looked up once. A bean whose scope creates an instance for each call is created for each
 * step.
 */
class StepBeansTests {

    private static final AtomicInteger created = new AtomicInteger();
    private static final Queue<Integer> acting = new ConcurrentLinkedQueue<>();
    private static final Asked asked = new Asked();

    /** Records the names of the beans that are looked up. */
    private static final class Asked extends DefaultListableBeanFactory {

        private static final long serialVersionUID = 1L;

        final transient Queue<String> names = new ConcurrentLinkedQueue<>();

        @Override
        public Object getBean(String name) {
            names.add(name);
            return super.getBean(name);
        }

        @Override
        public <T> T getBean(String name, Class<T> requiredType) {
            names.add(name);
            return super.getBean(name, requiredType);
        }

        @Override
        public boolean isSingleton(String name) {
            names.add(name);
            return super.isSingleton(name);
        }

        @Override
        protected boolean isTypeMatch(String name, ResolvableType typeToMatch, boolean allowFactoryBeanInit) {
            names.add(name);
            return super.isTypeMatch(name, typeToMatch, allowFactoryBeanInit);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        StepActionById<Long> sendById() {
            return (id, context) -> ActionResult.success();
        }

        @Bean
        StepValidationById<Long> checkById() {
            return (id, context) -> List.of();
        }

        @Bean
        AfterEffectById<Long> followById() {
            return (id, context) -> {};
        }

        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        StepAction<Parcel> loseAgain() {
            int instance = created.incrementAndGet();
            return (parcel, context) -> {
                acting.add(instance);
                return ActionResult.failure("again");
            };
        }
    }

    private static final String STEPS = "saga.workflows.parcel.steps";
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(
            database,
            application -> application
                    .sources(Beans.class)
                    .contextFactory(type -> new AnnotationConfigApplicationContext(asked)),
            STEPS + "[0].validation.any=checkById",
            STEPS + "[0].validation.admin=script",
            STEPS + "[0].action.any=sendById",
            STEPS + "[0].action.admin=script",
            STEPS + "[0].success-after-effect.any=followById",
            STEPS + "[0].success-after-effect.admin=script",
            STEPS + "[1].action.any=loseAgain");

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    private static void sendForEachRequester() {
        assertThat(shop.send(shop.pack())).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.workflows().run("parcel", shop.pack(), "send", Shop.SYSTEM))
                .isInstanceOf(TransitionOutcome.Completed.class);
        await().atMost(20, SECONDS)
                .until(() -> shop.database()
                        .sql("SELECT count(*) FROM saga_due")
                        .query(Integer.class)
                        .single()
                        .equals(0));
    }

    @Test
    void aLaterStepDoesNotLookUpTheBeansAgain() {
        sendForEachRequester();
        asked.names.clear();

        sendForEachRequester();

        Set<String> again = new HashSet<>(asked.names);
        again.retainAll(Set.of("script", "checkById", "sendById", "followById"));
        assertThat(again).isEmpty();
    }

    @Test
    void aPrototypeBeanIsCreatedForEachStep() {
        long parcel = shop.pack();
        shop.send(parcel);
        acting.clear();

        for (int call = 0; call < 2; call++) {
            assertThat(shop.workflows().run("parcel", parcel, "lose", Shop.ADMIN))
                    .isEqualTo(new TransitionOutcome.Failed("again"));
        }

        assertThat(acting).hasSize(2).doesNotHaveDuplicates();
    }
}
