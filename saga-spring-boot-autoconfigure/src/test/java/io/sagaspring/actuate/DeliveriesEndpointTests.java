package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryState;
import io.sagaspring.listener.DurableListener;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** Operators see deliveries and decide about them over HTTP. Meters and health report on deliveries. */
@ExpectsErrors("Parked delivery mailer:")
class DeliveriesEndpointTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String DELIVERIES = "/actuator/sagadeliveries";

    private static TestDatabase database;
    private static Shop shop;
    private static Http http;

    record Placed(String orderId, int number) {}

    static class Mailer {

        final List<Integer> received = new CopyOnWriteArrayList<>();
        volatile boolean isDown = true;

        @DurableListener(id = "mailer", key = "#placed.orderId()", attempts = 1)
        void placed(Placed placed) {
            if (isDown && placed.number() == 1) {
                throw new IllegalStateException("down");
            }
            received.add(placed.number());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {

        @Bean
        Mailer mailer() {
            return new Mailer();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Operators {

        @Bean
        Http.Users users() {
            return new Http.Users();
        }
    }

    @BeforeAll
    static void openForWriting() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = open("management.endpoint.sagadeliveries.access=unrestricted");
        http = new Http(shop);
    }

    private static Shop open(String... properties) {
        return Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Listening.class, Operators.class),
                Stream.concat(
                                Stream.of(
                                        Http.ON_ANY_PORT,
                                        "management.endpoints.web.exposure.include=*",
                                        "management.endpoint.health.show-details=always"),
                                Stream.of(properties))
                        .toArray(String[]::new));
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    /** Parks a delivery. Another delivery of the same key waits behind it. */
    @BeforeEach
    void parkOne() {
        int unused = shop.database().sql("DELETE FROM saga_delivery").update();
        Mailer mailer = shop.bean(Mailer.class);
        mailer.isDown = true;
        mailer.received.clear();
        shop.context().publishEvent(new Placed("o1", 1));
        shop.context().publishEvent(new Placed("o1", 2));
        await().atMost(SOON)
                .until(() -> shop.bean(Deliveries.class)
                                .find(DeliveryQuery.in(DeliveryState.PARKED, 10))
                                .size()
                        == 1);
    }

    private static JsonNode shown(String query) throws Exception {
        return http.get(DELIVERIES + query).json();
    }

    private static String parked() throws Exception {
        return DELIVERIES + "/" + shown("").path("deliveries").get(0).path("id").asString();
    }

    @Test
    void aParkedDeliveryIsShownWithItsError() throws Exception {
        JsonNode found = shown("");

        assertThat(found.path("deliveries")).hasSize(1);
        JsonNode delivery = found.path("deliveries").get(0);
        assertThat(delivery.path("listener").asString()).isEqualTo("mailer");
        assertThat(delivery.path("orderKey").asString()).isEqualTo("o1");
        assertThat(delivery.path("event").asString()).isEqualTo(Placed.class.getName());
        assertThat(delivery.path("lastError").asString()).contains("down");
        assertThat(found.path("listeners").get(0).path("stored").asInt()).isEqualTo(2);
        assertThat(found.path("listeners").get(0).path("parked").asInt()).isEqualTo(1);
        assertThat(shown("?state=waiting").path("deliveries")).hasSize(1);
        assertThat(shown("?listener=other").path("deliveries")).isEmpty();
    }

    @Test
    void aFilterThatNoDeliveryCanMatchIsABadRequest() throws Exception {
        assertThat(http.get(DELIVERIES + "?key=%00").status()).isEqualTo(400);
        assertThat(http.get(DELIVERIES + "?key=%00").text()).contains("NUL", "Remove that character");
        assertThat(http.get(DELIVERIES + "?listener=%00").status()).isEqualTo(400);
        assertThat(http.get(DELIVERIES + "?tenant=%00").status()).isEqualTo(400);
        assertThat(http.get(DELIVERIES + "?state=unknown").status()).isEqualTo(400);
    }

    @Test
    void aRetriedDeliveryIsFollowedByTheNextDeliveryOfItsKey() throws Exception {
        shop.bean(Mailer.class).isDown = false;

        assertThat(http.send("POST", parked()).status()).isEqualTo(204);
        await().atMost(SOON).until(() -> shop.bean(Mailer.class).received.size() == 2);
        assertThat(shop.bean(Mailer.class).received).containsExactly(1, 2);
        assertThat(http.send("POST", DELIVERIES + "/0").status()).isEqualTo(404);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aDeliveryThatIsGivenUpIsLoggedWithTheReason(CapturedOutput output) throws Exception {
        String path = parked();

        assertThat(http.send("DELETE", path + "?reason=wrong%20address").status())
                .isEqualTo(204);
        await().atMost(SOON).until(() -> shop.bean(Mailer.class).received.size() == 1);
        assertThat(shop.bean(Mailer.class).received).containsExactly(2);
        assertThat(http.send("DELETE", path).status()).isEqualTo(404);
        assertThat(output)
                .contains("of listener 'mailer' (key: o1, attempts: 1). It was removed by ", "(reason: wrong address)");
    }

    @Test
    void healthReportsParkedDeliveriesAndThoseWithoutAListener() throws Exception {
        shop.database()
                .sql(
                        "INSERT INTO saga_delivery (listener, event, line, format, payload, published_at, due_at) VALUES ('gone', 'Event', 1, 'json', '', now(), now() - INTERVAL '2 hours')")
                .update();

        assertThat(shown("?listener=gone&state=waiting").path("deliveries")).hasSize(1);
        JsonNode saga = HealthAnswers.ofSaga(http, "parkedDeliveries");
        assertThat(saga.path("details").path("parkedDeliveries").path("mailer").asInt())
                .isEqualTo(1);
        assertThat(saga.path("details").path("problems").toString())
                .contains(
                        "Parked deliveries to the durable listener 'mailer': 1. They delay later deliveries with the same keys.",
                        "Deliveries to the durable listener 'gone' have been due for 2 h",
                        "This node has no listener with this id.");
    }

    @Test
    void metersCountDeliveries() {
        MeterRegistry meters = shop.bean(MeterRegistry.class);

        assertThat(meters.get("saga.listeners.deliveries")
                        .tags("listener", "mailer", "event", "parked")
                        .counter()
                        .count())
                .isPositive();
        assertThat(meters.get("saga.listeners.deliveries")
                        .tags("listener", "mailer", "event", "published")
                        .counter()
                        .count())
                .isPositive();
        assertThat(meters.find("saga.listeners.parked").gauge()).isNotNull();
        assertThat(meters.find("saga.listeners.lag").gauge()).isNotNull();
    }

    @Test
    void anExposedEndpointIsReadOnlyByDefault() throws Exception {
        try (Shop readOnly = open()) {
            Http client = new Http(readOnly);

            assertThat(client.get(DELIVERIES).status()).isEqualTo(200);
            assertThat(client.send("POST", DELIVERIES + "/1").status()).isIn(404, 405);
        }
    }
}
