package io.sagaspring.listener;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.listener.ListenerSettings.Of;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.run.Retry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.scheduling.annotation.Async;

/** Tests how annotations and properties become listeners, and which faults are reported. */
class ListenerCatalogTests {

    record Placed(String orderId, int amount) {}

    record Cancelled(String orderId) {}

    record Typed<T>(T value) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(value = Paid.class, name = "paid")})
    interface Payment {}

    record Paid(String orderId) implements Payment {}

    interface Shape {}

    static class OldEvent extends ApplicationEvent {

        private static final long serialVersionUID = 1L;

        OldEvent(Object source) {
            super(source);
        }
    }

    static class Mailer {

        final List<Object> received = new ArrayList<>();

        @DurableListener(key = "#placed.orderId()", attempts = 3)
        void placed(Placed placed, Delivery delivery) {
            received.add(placed);
            received.add(delivery);
        }

        @DurableListener(id = "cancelled")
        void cancelled(Delivery delivery, Cancelled cancelled) {
            received.add(cancelled);
            received.add(delivery);
        }

        @DurableListener(id = "payments", key = "#p0.orderId()")
        void paid(Paid paid) {
            received.add(paid);
        }

        @DurableListener(id = "all-payments")
        void payment(Payment payment) {
            received.add(payment);
        }
    }

    private static DefaultListableBeanFactory beans(Object... beans) {
        DefaultListableBeanFactory made = new DefaultListableBeanFactory();
        for (int each = 0; each < beans.length; each++) {
            made.registerSingleton("bean" + each, beans[each]);
        }
        return made;
    }

    private static ListenerCatalog read(DefaultListableBeanFactory beans, Map<String, Of> properties) {
        return ListenerCatalog.read(
                beans,
                new JsonPayloadCodec(10_000),
                new ListenerSettings(properties, 4, ofSeconds(1), ofSeconds(8), false, name -> " (application.yml)"));
    }

    private static ListenerMethod listener(ListenerCatalog catalog, String id) {
        ListenerMethod found = catalog.find(id);
        assertThat(found).as(id).isNotNull();
        return Objects.requireNonNull(found);
    }

    private static List<String> faults(Map<String, Of> properties, Object... beans) {
        return Objects.requireNonNull(
                        catchThrowableOfType(InvalidListenersException.class, () -> read(beans(beans), properties)))
                .faults();
    }

    private static List<String> ids(List<ListenerMethod> listeners) {
        return listeners.stream().map(ListenerMethod::id).toList();
    }

    @Test
    void anEventReachesTheListenersOfItsClassAndOfItsSuperclasses() {
        ListenerCatalog catalog = read(beans(new Mailer()), Map.of());

        assertThat(ids(catalog.of(Placed.class))).containsExactly(Mailer.class.getName() + ".placed");
        assertThat(ids(catalog.of(Paid.class))).containsExactly("all-payments", "payments");
        assertThat(catalog.of(String.class)).isEmpty();
    }

    @Test
    void aListenerIsCalledWithItsParametersInTheirOrder() throws Throwable {
        Mailer mailer = new Mailer();
        ListenerCatalog catalog = read(beans(mailer), Map.of());
        Placed placed = new Placed("o1", 7);
        Cancelled cancelled = new Cancelled("o2");
        Delivery delivery = new Delivery(1, "x", null, 1, Instant.EPOCH, new FencingToken(5));

        listener(catalog, Mailer.class.getName() + ".placed").call(mailer, placed, delivery);
        listener(catalog, "cancelled").call(mailer, cancelled, delivery);

        assertThat(mailer.received).containsExactly(placed, delivery, cancelled, delivery);
    }

    @Test
    void theKeyIsReadFromTheEvent() {
        ListenerCatalog catalog = read(beans(new Mailer()), Map.of());

        assertThat(listener(catalog, Mailer.class.getName() + ".placed").keyOf(new Placed("o1", 7)))
                .isEqualTo("o1");
        assertThat(listener(catalog, "payments").keyOf(new Paid("o9"))).isEqualTo("o9");
        assertThat(listener(catalog, "cancelled").keyOf(new Cancelled("o1"))).isNull();
    }

    /** The text of an event is data. An expression in it is never evaluated. */
    @Test
    void anExpressionInAnEventIsNotEvaluated() {
        String text = "#{T(java.lang.Runtime).getRuntime()}";

        assertThat(listener(read(beans(new Mailer()), Map.of()), "payments").keyOf(new Paid(text)))
                .isEqualTo(text);
    }

    @Test
    void anEventWithoutAUsableKeyIsRefused() {
        ListenerMethod listener = listener(read(beans(new Mailer()), Map.of()), "payments");

        assertThatThrownBy(() -> listener.keyOf(new Paid("  ")))
                .hasMessage(
                        "The event was not published, because the key \"#p0.orderId()\" of the durable listener 'payments' cannot be used. The value is empty or blank, but it must have 1 to 500 characters.");
        assertThatThrownBy(() -> listener.keyOf(new Paid(nothing()))).hasMessageContaining("The value is null");
        assertThatThrownBy(() -> listener.keyOf(new Paid("a\nb"))).hasMessageContaining("control characters");
        assertThatThrownBy(() -> listener.keyOf(new Paid("k".repeat(501)))).hasMessageContaining("501 characters");
    }

    @SuppressWarnings("NullAway") // The application may break the contract of its own record.
    private static String nothing() {
        return null;
    }

    @Test
    void propertiesReplaceTheValuesOfTheAnnotation() {
        ListenerMethod listener = listener(
                read(beans(new Mailer()), Map.of("cancelled", new Of(false, 2, ofSeconds(5), ofSeconds(5), 9))),
                "cancelled");

        assertThat(listener.delivering().enabled()).isFalse();
        assertThat(listener.delivering().attempts()).isEqualTo(2);
        assertThat(listener.delivering().concurrency()).isEqualTo(9);
        assertThat(listener.delivering().retry().pauseAfter(1, ThreadLocalRandom.current()))
                .isBetween(Duration.ofMillis(2_500), ofSeconds(5));
    }

    @Test
    void thePausesGrowUpToTheLongestPause() {
        ListenerMethod listener = listener(read(beans(new Mailer()), Map.of()), "cancelled");
        Retry retry = listener.delivering().retry();

        assertThat(listener.delivering().attempts()).isEqualTo(10);
        assertThat(retry.pauseAfter(3, ThreadLocalRandom.current())).isBetween(ofSeconds(2), ofSeconds(4));
        assertThat(retry.pauseAfter(9, ThreadLocalRandom.current())).isBetween(ofSeconds(4), ofSeconds(8));
    }

    static class Patient {

        @DurableListener(id = "ours", retry = "policy")
        void ours(Placed placed) {}

        @DurableListener(id = "springs", retry = "spring")
        void springs(Placed placed) {}
    }

    @Test
    void aRetryPolicyCanBeABean() {
        DefaultListableBeanFactory beans = beans(new Patient());
        beans.registerSingleton("policy", Retry.retry().max(4).noRetryOn(IllegalStateException.class));
        beans.registerSingleton("spring", RetryPolicy.builder().maxRetries(1).build());
        ListenerCatalog catalog = read(beans, Map.of());

        assertThat(listener(catalog, "ours").delivering().attempts()).isEqualTo(4);
        assertThat(listener(catalog, "ours").delivering().retry().covers(new IllegalStateException("x")))
                .isFalse();
        assertThat(listener(catalog, "springs").delivering().attempts()).isEqualTo(2);
    }

    static class Faulty {

        @DurableListener(key = "#placed.")
        void unparsable(Placed placed) {}

        @DurableListener(key = "#order.id")
        void unknownVariable(Placed placed) {}

        @DurableListener(key = "@bean.key()")
        void bean(Placed placed) {}

        @DurableListener
        void none() {}

        @DurableListener
        void two(Placed placed, Cancelled cancelled) {}

        @DurableListener
        void onlyDelivery(Delivery delivery) {}

        @DurableListener(attempts = 0)
        void attempts(Placed placed) {}

        @DurableListener(id = "same")
        void same(Placed placed) {}

        @DurableListener(id = "same")
        void sameAgain(Placed placed) {}

        @DurableListener(id = "not allowed")
        void id(Placed placed) {}

        @DurableListener
        void anything(Object event) {}

        @DurableListener
        void old(OldEvent event) {}

        @DurableListener
        void typed(Typed<String> event) {}

        @DurableListener
        void shape(Shape event) {}

        @DurableListener
        @SuppressWarnings("unused") // The library finds this method by its annotation.
        private void hidden(Placed placed) {}

        @DurableListener
        static void ofClass(Placed placed) {}

        @EventListener
        @DurableListener
        void twice(Placed placed) {}

        @Async
        @DurableListener
        void async(Placed placed) {}

        @DurableListener
        CompletableFuture<String> later(Placed placed) {
            return CompletableFuture.completedFuture(placed.orderId());
        }

        @DurableListener(retry = "missing")
        void policy(Placed placed) {}

        @DurableListener(transactional = true)
        void together(Placed placed) {}
    }

    @Test
    void allFaultsAreReportedTogether() {
        Map<String, Of> properties = new LinkedHashMap<>();
        properties.put("smae", new Of(true, null, null, null, null));
        List<String> faults = faults(properties, new Faulty());
        String name = Faulty.class.getName();

        assertThat(faults)
                .hasSize(21)
                .anySatisfy(each -> assertThat(each)
                        .startsWith(name + ".unparsable has the key \"#placed.\", but it cannot be parsed"))
                .anySatisfy(
                        each -> assertThat(each)
                                .startsWith(
                                        name
                                                + ".unknownVariable has the key \"#order.id\", but it uses #order, which does not exist here. The variables are #p0, #placed."))
                .anySatisfy(each -> assertThat(each)
                        .startsWith(name + ".bean has the key \"@bean.key()\", but '@bean' is not a variable."))
                .contains(
                        name
                                + ".none has the parameters []. Declare one for the event, and at most one of type Delivery.",
                        name + ".two has the parameters [" + Placed.class.getName() + ", " + Cancelled.class.getName()
                                + "]. Declare one for the event, and at most one of type Delivery.",
                        name + ".onlyDelivery has the parameters [" + Delivery.class.getName()
                                + "]. Declare one for the event, and at most one of type Delivery.",
                        name
                                + ".attempts allows 0 attempts (attempts = 0), but at least 1 is needed. Increase the number.",
                        name
                                + ".id has the id 'not allowed', which is not valid. Write 1 to 200 letters, digits, dots, dashes and underscores.",
                        name
                                + ".anything has the event type java.lang.Object, which tells nothing about the event. Declare the class of the events.",
                        name + ".old has the event type " + OldEvent.class.getName()
                                + ", which is an ApplicationEvent and cannot be stored. Publish an object of a class of your own.",
                        name
                                + ".hidden is private, static or final, so it cannot be called on a bean that has a proxy. Make it an instance method that can be overridden.",
                        name
                                + ".ofClass is private, static or final, so it cannot be called on a bean that has a proxy. Make it an instance method that can be overridden.",
                        name
                                + ".twice is also an @EventListener, so each event would reach it twice. Remove one of the two annotations.",
                        name
                                + ".together is transactional, but its deliveries are not stored in a database whose transactions it could join. Remove transactional = true, or store deliveries in the library's tables on PostgreSQL.",
                        name
                                + ".policy has retry = \"missing\", but there is no bean of that name whose type is Retry or RetryPolicy. Declare one, or correct the name.")
                .anySatisfy(each -> assertThat(each).contains("has the id 'same', which " + name + ".same"))
                .anySatisfy(each -> assertThat(each).startsWith(name + ".typed has the event type "))
                .anySatisfy(each -> assertThat(each)
                        .startsWith(name + ".shape has the event type " + Shape.class.getName()
                                + ", which could not be read back."))
                .anySatisfy(each -> assertThat(each).startsWith(name + ".async is @Async"))
                .anySatisfy(each -> assertThat(each).startsWith(name + ".later returns"))
                .anySatisfy(
                        each -> assertThat(each)
                                .startsWith(
                                        "The properties saga.listeners.by-id.smae.* (application.yml) belong to no durable listener."));
    }

    @Test
    void faultsOfPropertiesNameTheirOrigin() {
        assertThat(faults(Map.of("cancelled", new Of(null, 0, null, null, null)), new Mailer()))
                .containsExactly(
                        Mailer.class.getName()
                                + ".cancelled allows 0 attempts (saga.listeners.by-id.cancelled.attempts (application.yml)), but at least 1 is needed. Increase the number.");
        assertThat(faults(Map.of("cancelled", new Of(null, null, null, null, 0)), new Mailer()))
                .containsExactly(
                        Mailer.class.getName()
                                + ".cancelled has the property saga.listeners.by-id.cancelled.concurrency=0 (application.yml), but at least 1 is needed. Increase it.");
        assertThat(faults(Map.of("cancelled", new Of(null, null, ofSeconds(-1), null, null)), new Mailer()))
                .singleElement()
                .asString()
                .contains("negative");
    }

    @Test
    void twoBeansOfAClassCannotShareAnId() {
        assertThat(faults(Map.of(), new Mailer(), new Mailer())).hasSize(4);
    }

    interface Sending {}

    static class Sender implements Sending {

        @DurableListener(id = "sender")
        public void send(Placed placed) {}
    }

    @Test
    void aListenerMethodThatTheProxyDoesNotHaveIsReportedAsAFault() {
        ProxyFactory proxies = new ProxyFactory(new Sender());
        proxies.setInterfaces(Sending.class);
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        RootBeanDefinition definition = new RootBeanDefinition(Sending.class);
        definition.setAttribute(
                "org.springframework.aop.framework.autoproxy.AutoProxyUtils.originalTargetClass", Sender.class);
        beans.registerBeanDefinition("sender", definition);
        beans.registerSingleton("sender", proxies.getProxy());

        assertThatThrownBy(() -> read(beans, Map.of()))
                .hasMessageContaining(
                        "is not in an interface of the bean 'sender', but the bean's proxy implements only these interfaces. Add the method to an interface, or set spring.aop.proxy-target-class=true.");
    }
}
