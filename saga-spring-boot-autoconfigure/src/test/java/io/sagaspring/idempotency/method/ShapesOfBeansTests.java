package io.sagaspring.idempotency.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Applications;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An annotated method is protected for every placement of the annotation and every kind of proxy. */
class ShapesOfBeansTests {

    private static final AtomicInteger done = new AtomicInteger();

    private static final ConfigurableApplicationContext byClass = start(true);
    private static final ConfigurableApplicationContext byInterface = start(false);

    record Receipt(String number) {}

    interface Declared {

        @Idempotent(requestId = "#p0")
        Receipt declared(String requestId);
    }

    interface Plain {
        Receipt annotatedInTheClass(String requestId);
    }

    abstract static class Base<T> {

        @Idempotent(requestId = "#p0")
        public T inherited(String requestId) {
            return made();
        }

        @Idempotent(requestId = "#p0")
        public T overridden(String requestId) {
            return made();
        }

        abstract T made();
    }

    static class Everything extends Base<Receipt> implements Declared, Plain {

        @Override
        Receipt made() {
            return new Receipt("R-" + done.incrementAndGet());
        }

        @Override
        public Receipt declared(String requestId) {
            return made();
        }

        @Override
        @Idempotent(requestId = "#p0")
        public Receipt annotatedInTheClass(String requestId) {
            return made();
        }

        @Override
        public Receipt overridden(String requestId) {
            return made();
        }
    }

    static class Faulty {

        @Idempotent
        public void nowhere() {}
    }

    /** Spring generates a subclass of this class. */
    @Configuration
    static class Enhanced {

        @Idempotent(requestId = "#p0")
        public String called(String requestId) {
            return "C-" + done.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Enhanced.class)
    static class Application {

        @Bean
        Declared everything() {
            return new Everything();
        }

        @Bean
        @Lazy
        Faulty faulty() {
            return new Faulty();
        }

        @Bean
        Object plain() {
            return new AtomicInteger();
        }
    }

    @AfterAll
    static void close() {
        byClass.close();
        byInterface.close();
    }

    @BeforeEach
    void reset() {
        done.set(0);
        both().forEach(context -> context.getBean(JdbcClient.class)
                .sql("DELETE FROM saga_idempotency_key")
                .update());
    }

    static List<ConfigurableApplicationContext> both() {
        return List.of(byClass, byInterface);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("both")
    void anAnnotatedInterfaceMethodIsProtected(ConfigurableApplicationContext context) {
        Declared bean = context.getBean(Declared.class);

        assertThat(bean.declared("r")).isEqualTo(bean.declared("r"));
        assertThat(done).hasValue(1);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("both")
    void aClassMethodIsProtectedWhenCalledThroughAnInterface(ConfigurableApplicationContext context) {
        Plain bean = context.getBean(Plain.class);

        assertThat(bean.annotatedInTheClass("r")).isEqualTo(bean.annotatedInTheClass("r"));
        assertThat(done).hasValue(1);
    }

    @Test
    void anInheritedMethodIsProtectedAndReplayedInItsConcreteType() {
        Everything bean = byClass.getBean(Everything.class);

        Receipt first = bean.inherited("r");
        Receipt second = bean.inherited("r");

        assertThat(second).isEqualTo(first);
        assertThat(done).hasValue(1);
    }

    @Test
    void anOverriddenMethodIsProtected() {
        Everything bean = byClass.getBean(Everything.class);

        assertThat(bean.overridden("r")).isEqualTo(bean.overridden("r"));
        assertThat(done).hasValue(1);
    }

    /** The name of the subclass that Spring generates may change, and must not be part of a key. */
    @Test
    void aKeyContainsTheNameOfTheOriginalClass() {
        Enhanced bean = byClass.getBean(Enhanced.class);

        assertThat(bean.called("r")).isEqualTo(bean.called("r"));
        assertThat(byClass.getBean(JdbcClient.class)
                        .sql("SELECT operation FROM saga_idempotency_key")
                        .query(String.class)
                        .single())
                .isEqualTo(Enhanced.class.getName() + ".called");
    }

    @Test
    void aFaultyLazyBeanIsRefusedWhenItIsCreated() {
        assertThatThrownBy(() -> byClass.getBean(Faulty.class))
                .rootCause()
                .isInstanceOf(IdempotentFaultsException.class)
                .hasMessageContaining("Faulty.nowhere");
    }

    @Test
    void aBeanWithoutTheAnnotationGetsNoProxy() {
        assertThat(AopUtils.isAopProxy(byClass.getBean("plain"))).isFalse();
    }

    private static ConfigurableApplicationContext start(boolean byClass) {
        return Applications.start(
                Application.class,
                TestDatabase.create(MigratedSchema.class),
                "spring.aop.proxy-target-class=" + byClass);
    }
}
