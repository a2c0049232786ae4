package io.sagaspring.test.saga;

import io.sagaspring.saga.Saga;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.TestExecutionListeners;
import org.springframework.test.context.TestExecutionListeners.MergeMode;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Tests sagas, and nothing else of the application: no web, no JPA, and, unless {@link #store()} says otherwise, no database.
 *
 * <pre>{@code
 * @SagaTest(CheckoutSaga.class)
 * class CheckoutSagaTests {
 *
 *     private static final Checkout ORDER = new Checkout("o-1", 100);
 *
 *     @Autowired
 *     SagaScenario scenario;
 *
 *     @TestConfiguration
 *     static class Fakes {
 *         @Bean
 *         Payments payments(EffectLog effects) {
 *             return (key, amount) -> effects.record(key, amount);
 *         }
 *     }
 *
 *     @MockitoBean
 *     Warehouse warehouse;
 *
 *     @Test
 *     void waitsForTheWarehouseAndCompletes() {
 *         scenario.given(CheckoutSaga.class, ORDER)
 *                 .whenStarted()
 *                 .completed("arrange_fulfillment", Map.of("tracking", "t-7"))
 *                 .then()
 *                 .isCompleted()
 *                 .hasContext("tracking", "t-7");
 *     }
 *
 *     @Test
 *     void refundsWhenTheWarehouseDoesNotAnswer() {
 *         scenario.given(CheckoutSaga.class, ORDER)
 *                 .whenStarted()
 *                 .timePasses(Duration.ofMinutes(15))
 *                 .then()
 *                 .isFailedWith("timeout")
 *                 .compensatedInOrder("arrange_fulfillment", "charge_card");
 *     }
 *
 *     @Test
 *     void chargesOnceThoughItsNodeDies() {
 *         scenario.given(CheckoutSaga.class, ORDER)
 *                 .crashesAfterBodyOf("charge_card")
 *                 .whenStarted()
 *                 .resumed()
 *                 .then()
 *                 .hasStep("charge_card")
 *                 .completed()
 *                 .and()
 *                 .effects()
 *                 .calledTimes("charge_card", 2)
 *                 .tookEffectOnce("charge_card");
 *     }
 * }
 * }</pre>
 *
 * <p>The context holds
 *
 * <ul>
 *   <li>the sagas that are named, which need no annotation of their own, and every {@code SagaTask} class that one of them
 *       names and of which there is no bean yet;
 *   <li>{@link #classes()}, and what nested {@code @TestConfiguration} classes, {@code @Import}, {@code @MockitoBean} and the
 *       other annotations of {@code @SpringBootTest} classes add: what steps need, and {@code SagaListener}, {@code
 *       StepSurroundings}, {@code RunCarrier} and {@code PayloadCodec} beans, which the engine is given as in production;
 *   <li>{@link SagaScenario}, {@link EffectLog}, {@link SagaClock}, which is a {@link java.time.Clock}, too, and the {@link
 *       io.sagaspring.saga.Sagas} of production.
 * </ul>
 *
 * <p>The component scan and the auto-configurations of the application are left out; its {@code application.properties} are
 * read. Of these, {@code saga.sagas.callback-keys}, {@code saga.runs.lease-ttl}, {@code saga.runs.max-attempts}, {@code
 * saga.runs.blocked-interval}, {@code saga.runs.max-payload-size} and {@code saga.runs.retention} count; without a callback key
 * there is one for tests.
 *
 * <p>Each test method begins with no execution, no effect and the clock at its beginning, although the context is shared.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(SpringExtension.class)
@BootstrapWith(SagaTestContextBootstrapper.class)
@TestExecutionListeners(listeners = FreshScenarios.class, mergeMode = MergeMode.MERGE_WITH_DEFAULTS)
public @interface SagaTest {

    /**
     * The sagas.
     *
     * @return their classes
     */
    @AliasFor("sagas")
    Class<? extends Saga<?>>[] value() default {};

    /**
     * The sagas.
     *
     * @return their classes
     */
    @AliasFor("value")
    Class<? extends Saga<?>>[] sagas() default {};

    /**
     * What the sagas need: components, and configuration classes.
     *
     * @return their classes
     */
    Class<?>[] classes() default {};

    /**
     * Where executions are kept.
     *
     * @return in memory, or in a database
     */
    Store store() default Store.MEMORY;

    /**
     * Properties of this test, as in {@code @SpringBootTest}.
     *
     * @return as {@code key=value}
     */
    String[] properties() default {};

    /** Where executions are kept. */
    enum Store {

        /**
         * In memory: fast, to the instant, and without a database. It takes part in no transaction: what a {@code dedupe()} step
         * does is not rolled back where its node dies.
         */
        MEMORY,

        /**
         * In a PostgreSQL database, by the statements of production. Every test class has one of its own, as {@link
         * io.sagaspring.test.database.FreshDatabase @FreshDatabase} gives it, which may be added for a template or a name. The
         * application's Flyway and Liquibase migrate it, where they are there; {@code JdbcClient} and transactions are
         * configured.
         *
         * <p>Time that passes is taken off all that the library has stored of executions, so that a database's clock need not
         * be moved: what is stored is older then. What else the application stores is not.
         */
        DATABASE
    }
}
