package io.sagaspring.test.saga;

import io.sagaspring.run.DurableRun;
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
 * Tests sagas without the rest of the application: without web and JPA, and without a database unless {@link #store()}
 * selects one.
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
 *     void aCardIsChargedOnceEvenIfTheNodeDies() {
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
 * <p>The context contains:
 *
 * <ul>
 *   <li>the sagas and runs that the annotation names; their classes need no annotation of their own;
 *   <li>every {@code SagaTask} class that one of these sagas names, unless there is already a bean of this class;
 *   <li>{@link #classes()}, and the beans that are added by nested {@code @TestConfiguration} classes,
 *       {@code @Import}, {@code @MockitoBean} and the other annotations for {@code @SpringBootTest} classes. These
 *       beans provide what the steps need. The engine uses {@code SagaListener}, {@code StepInterceptor},
 *       {@code RunCarrier}, {@code RunQueue} and {@code PayloadCodec} beans as in production;
 *   <li>{@link SagaScenario}, {@link RunScenario}, {@link EffectLog}, {@link SagaClock}, which is also a {@link
 *       java.time.Clock}, and {@link io.sagaspring.saga.Sagas} and {@link io.sagaspring.run.Runs} as in production.
 * </ul>
 *
 * <p>The test does not use the application's component scan and auto-configurations. The test reads {@code
 * application.properties}, but only these properties apply: {@code saga.sagas.callback-keys}, {@code
 * saga.runs.lease-ttl}, {@code saga.runs.max-attempts}, {@code saga.runs.blocked-interval}, {@code
 * saga.runs.max-payload-size}, {@code saga.runs.retention}, {@code saga.runs.queues.*} and {@code
 * saga.runs.defaults.*}. If no callback key is configured, the test generates one.
 *
 * <p>Each test method starts without executions and effects, and with the clock reset, although the context is shared.
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
     * Returns the sagas of the test.
     *
     * @return the classes
     */
    @AliasFor("sagas")
    Class<? extends Saga<?>>[] value() default {};

    /**
     * Returns the sagas of the test.
     *
     * @return the classes
     */
    @AliasFor("value")
    Class<? extends Saga<?>>[] sagas() default {};

    /**
     * Returns the durable runs of the test. Test them with {@link RunScenario}.
     *
     * @return the classes
     */
    Class<? extends DurableRun<?, ?>>[] runs() default {};

    /**
     * Returns the components and configuration classes that the sagas and runs need.
     *
     * @return the classes
     */
    Class<?>[] classes() default {};

    /**
     * Returns the store of the executions.
     *
     * @return memory, or a database
     */
    Store store() default Store.MEMORY;

    /**
     * Returns the properties of this test, as in {@code @SpringBootTest}.
     *
     * @return the properties in the form {@code key=value}
     */
    String[] properties() default {};

    /** The stores for executions. */
    enum Store {

        /**
         * The executions are stored in memory. This is fast and needs no database, and the clock moves only when the
         * test moves it, and while a caller waits for a run or saga. This store does not join transactions. If the node
         * dies in a {@code dedupe()} step, the step's writes are not rolled back.
         */
        MEMORY,

        /**
         * The executions are stored in a PostgreSQL database, with the same statements as in production. Every test
         * class has its own database, as with {@link io.sagaspring.test.database.FreshDatabase @FreshDatabase}. Add
         * that annotation to set a template or a shared name. Flyway and Liquibase migrate the database if the
         * application has them. {@code JdbcClient} and transactions are configured.
         *
         * <p>The test cannot move the database's clock. When the test lets time pass, the test kit therefore moves the
         * stored times of runs into the past. The application's own tables are not changed.
         */
        DATABASE
    }
}
