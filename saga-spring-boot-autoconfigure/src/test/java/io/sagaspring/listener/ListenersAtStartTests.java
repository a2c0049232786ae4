package io.sagaspring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.listener.ListenersInAnApplicationTests.Mailer;
import io.sagaspring.listener.ListenersInAnApplicationTests.Placed;
import io.sagaspring.listener.ListenersInAnApplicationTests.Shipped;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests how an application with durable listeners starts, and what one without them pays. */
class ListenersAtStartTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private Shop open(Class<?> sources, String... properties) {
        return Shop.open(database, application -> application.sources(sources), properties);
    }

    @Configuration(proxyBeanMethods = false)
    static class Deaf {}

    interface Receiver {}

    static class Hidden implements Receiver {

        @DurableListener
        void placed(Placed placed) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Hiding {

        @Bean
        Receiver receiver() {
            return new Hidden();
        }
    }

    /** Publishes an event before the hidden listener exists. */
    static class Early {

        Early(ApplicationEventPublisher events) {
            events.publishEvent(new Placed("early", 1));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Starting {

        @Bean
        Mailer mailer() {
            return new Mailer();
        }

        @Bean
        Early early(ApplicationEventPublisher events) {
            return new Early(events);
        }

        @Bean
        Receiver receiver() {
            return new Hidden();
        }
    }

    static class Faulty {

        @DurableListener(key = "#placed.")
        void placed(Placed placed) {}

        @DurableListener(attempts = 0)
        void shipped(Shipped shipped) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Wrong {

        @Bean
        Faulty faulty() {
            return new Faulty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
            })
    static class Silent {

        @Bean
        Mailer mailer() {
            return new Mailer();
        }
    }

    @Test
    void anApplicationWithoutAListenerPaysNothing() {
        List<String> statements = new CopyOnWriteArrayList<>();
        try (Shop shop = open(Deaf.class, "saga.due.poll-interval=100ms")) {
            shop.bean(Interference.class).with(new Interference.Around() {
                @Override
                public void before(String sql, Connection connection) {
                    statements.add(sql);
                }
            });
            ListenersInAnApplicationTests.transaction(shop)
                    .executeWithoutResult(status -> shop.context().publishEvent(new Placed("o1", 1)));
            await().atMost(ListenersInAnApplicationTests.SOON)
                    .until(() -> statements.stream().anyMatch(sql -> Statements.isNamed(sql, "due.look")));

            List<String> names = new ArrayList<>(shop.names("sagaListener"));
            names.addAll(shop.names("sagaDeliver"));
            names.addAll(shop.names("sagaPublished"));
            assertThat(names).isEmpty();
            assertThat(ListenersInAnApplicationTests.threads()).noneMatch(name -> name.startsWith("saga-listener"));
            assertThat(statements).noneMatch(sql -> Statements.isOf(sql, "delivery"));
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aListenerThatABeanMethodHidesIsNotOverlooked(CapturedOutput output) {
        assertThatException().isThrownBy(() -> open(Hiding.class));

        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "because the return types of their @Bean methods hide them: receiver.",
                        "Declare the class that has the methods as the return type of the @Bean method.");
    }

    /** If the first event fixed the set of listeners, a listener whose bean did not exist then would never get an event. */
    @Test
    void anEventDuringTheStartDoesNotHideListenersThatAreCreatedLater() {
        try (Shop shop = open(Starting.class, "saga.listeners.enabled=false")) {
            assertThat(ListenersInAnApplicationTests.stored(shop)).isEqualTo(1);
            shop.context().publishEvent(new Placed("o1", 2));
            assertThat(ListenersInAnApplicationTests.stored(shop)).isEqualTo(3);
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void allFaultsAreReportedWhenTheApplicationStarts(CapturedOutput output) {
        assertThatException().isThrownBy(() -> open(Wrong.class, "saga.listeners.by-id.ordre.attempts=3"));

        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "These methods are annotated @DurableListener, but would lose events:",
                        "has the key \"#placed.\", but it cannot be parsed",
                        "allows 0 attempts (attempts = 0), but at least 1 is needed.",
                        "The properties saga.listeners.by-id.ordre.* (\"saga.listeners.by-id.ordre.attempts\" from property source \"defaultProperties\") belong to no durable listener.");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void anApplicationThatCannotStoreEventsSaysWhichListenersAreDeaf(CapturedOutput output) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Silent.class)
                .web(WebApplicationType.NONE)
                .properties("saga.enabled=false")
                .run()) {
            assertThat(context.getBeanNamesForType(ListenerEngine.class)).isEmpty();
        }

        assertThat(output)
                .contains("saga.enabled is false. These @DurableListener methods receive no events: "
                        + Mailer.class.getName() + ".placed");
    }
}
