package io.sagaspring.lease.method;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.Leased;
import io.sagaspring.lease.Leased.IfTaken;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Applications;
import io.sagaspring.test.database.TestDatabase;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Methods of every kind of bean run under their leases, or the application fails at start-up. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
@ExpectsErrors("this node is shutting down") // Spring logs this if the context closes while the scheduled job runs.
class LeasedBeansTests {

    private static final String IN_MEMORY = "saga.leases.store=memory";

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    interface Declared {

        @Leased("'declared/' + #p0")
        String declared(String id);

        String inTheClass(String id);
    }

    static class Both implements Declared {

        @Override
        public String declared(String id) {
            return Lease.current().name().value();
        }

        @Override
        @OneAtATime(name = "'class/' + #id")
        public String inTheClass(String id) {
            return Lease.current().name().value();
        }
    }

    @Leased("")
    @Retention(RetentionPolicy.RUNTIME)
    @interface OneAtATime {
        @AliasFor(annotation = Leased.class, attribute = "value")
        String name();
    }

    static class Job {

        static final BlockingQueue<String> ran = new LinkedBlockingQueue<>();

        @Scheduled(fixedDelay = 10)
        @Leased(value = "'job'", ifTaken = IfTaken.SKIP)
        public void run() {
            ran.add(Lease.current().toString());
        }
    }

    static class Late {

        @Leased("#oops")
        public void late(String id) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        @Bean
        Declared both() {
            return new Both();
        }

        @Bean
        Job job() {
            return new Job();
        }

        @Bean
        @Lazy
        Late late() {
            return new Late();
        }
    }

    static class Broken {

        @Leased("dunning")
        public void unquoted() {}

        @Leased(value = "'a'", ttl = "29s")
        public void shortLived() {}

        @Leased("'b'")
        public final void unseen() {}

        @Leased("'c'")
        @Idempotent(requestId = "#id", sameTransaction = true)
        public void together(String id) {}

        @Leased(value = "'d'", ifTaken = IfTaken.SKIP)
        @Idempotent(requestId = "#id")
        public void remembered(String id) {}
    }

    static class AlsoBroken {

        @Leased(value = "'e'", patience = "${office.unknown}")
        public void impatient() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class BrokenApplication {

        @Bean
        Broken broken() {
            return new Broken();
        }

        @Bean
        AlsoBroken alsoBroken() {
            return new AlsoBroken();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void annotationsOnInterfacesAndClassesWorkWithEitherKindOfProxy(boolean byClass) {
        try (ConfigurableApplicationContext context = Applications.start(
                Application.class, database, IN_MEMORY, "spring.aop.proxy-target-class=" + byClass)) {
            Declared bean = context.getBean(Declared.class);

            assertThat(bean.declared("1")).isEqualTo("declared/1");
            assertThat(bean.inTheClass("1")).isEqualTo("class/1");
        }
    }

    @Test
    void aScheduledMethodRunsUnderItsLease() throws Exception {
        Job.ran.clear();
        try (ConfigurableApplicationContext context = Applications.start(Application.class, database, IN_MEMORY)) {
            assertThat(context.isActive()).isTrue();
            assertThat(Job.ran.poll(60, SECONDS)).startsWith("lease on 'job'");
            assertThat(Job.ran.poll(60, SECONDS)).startsWith("lease on 'job'");
        }
    }

    @Test
    void theFaultsOfALazyBeanPreventOnlyItsCreation() {
        try (ConfigurableApplicationContext context = Applications.start(Application.class, database, IN_MEMORY)) {
            assertThatThrownBy(() -> context.getBean(Late.class))
                    .rootCause()
                    .isInstanceOf(LeasedFaultsException.class)
                    .hasMessageContaining(
                            ".late has the name \"#oops\", but it uses #oops, which does not exist here.");
            assertThat(context.getBean(Declared.class).declared("1")).isEqualTo("declared/1");
        }
    }

    /** A method that only looks protected would be worse than a method without a lease. */
    @Test
    void theStartFailsAndReportsAllMethodsThatCannotBeLeased(CapturedOutput output) {
        assertThatThrownBy(() ->
                        Applications.start(BrokenApplication.class, database).close())
                .isNotInstanceOf(BeanCreationException.class)
                .isInstanceOf(LeasedFaultsException.class)
                .hasMessageContaining("Broken.unquoted has the name \"dunning\", but 'dunning' is not a variable.")
                .hasMessageContaining("Broken.shortLived has the ttl \"29s\"")
                .hasMessageContaining("saga.leases.ttl (30 s)")
                .hasMessageContaining("Broken.unseen is private, static or final")
                .hasMessageContaining("Broken.together is also @Idempotent with sameTransaction")
                .hasMessageContaining("Broken.remembered is also @Idempotent")
                .hasMessageContaining("AlsoBroken.impatient has the patience \"${office.unknown}\"");
        assertThat(output.getAll())
                .contains("APPLICATION FAILED TO START")
                .contains("These methods are annotated @Leased, but would run without their lease:");
    }

    @Test
    void theLogNamesUnprotectedMethodsIfLeasesAreSwitchedOff(CapturedOutput output) {
        Applications.start(
                        BrokenApplication.class,
                        database,
                        "saga.leases.enabled=false",
                        "saga.idempotency.enabled=false")
                .close();

        assertThat(output.getAll())
                .contains("saga.leases.enabled is false. These @Leased methods run without a lease")
                .contains(AlsoBroken.class.getName() + ".impatient")
                .contains(Broken.class.getName() + ".unquoted");
    }

    @Test
    void theLogNamesNoMethodIfLeasesAreEnabled(CapturedOutput output) {
        Applications.start(Application.class, database, IN_MEMORY).close();

        assertThat(output.getAll()).doesNotContain("run without a lease");
    }
}
