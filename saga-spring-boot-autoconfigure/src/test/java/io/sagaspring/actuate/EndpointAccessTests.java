package io.sagaspring.actuate;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** Endpoints are not exposed by default, and exposed endpoints are read-only by default, over HTTP and over JMX. */
class EndpointAccessTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @Test
    @ExpectsErrors("no mail server")
    void exposedEndpointsAreReadOnlyByDefault() throws Exception {
        try (Shop shop = open("management.endpoints.web.exposure.include=*")) {
            Http http = new Http(shop);
            claimByHand(shop);
            park(shop);

            assertThat(http.get("/actuator/sagaclaims").json().path("claims")).hasSize(1);
            assertThat(http.get("/actuator/sagadue").json().path("parked")).hasSize(1);
            assertThat(http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=1")
                            .status())
                    .isEqualTo(405);
            assertThat(http.send("POST", "/actuator/sagadue/1").status()).isEqualTo(404);
            assertThat(shop.claims()).isOne();
            assertThat(http.get("/actuator/sagadue").json().path("parked")).hasSize(1);
        }
    }

    @Test
    void noSagaEndpointIsExposedByDefault() throws Exception {
        try (Shop shop = open()) {
            Http http = new Http(shop);

            assertThat(List.of(
                            "sagaclaims",
                            "sagadue",
                            "sagaruns",
                            "sagaworkflows",
                            "sagapauses",
                            "sagaleases",
                            "sagakeys"))
                    .allSatisfy(id ->
                            assertThat(http.get("/actuator/" + id).status()).isEqualTo(404));
            assertThat(http.get("/actuator/health").status()).isEqualTo(200);
            assertThat(http.get("/actuator/health/saga").status()).isEqualTo(404);
        }
    }

    @Test
    @ExpectsErrors("no mail server")
    void operatorsReadAndDecideOverJmx() throws Exception {
        try (Shop shop = open(
                "spring.jmx.enabled=true",
                "management.endpoints.jmx.exposure.include=*",
                "management.endpoints.jmx.domain=jmx.unrestricted",
                "management.endpoint.sagaclaims.access=unrestricted",
                "management.endpoint.sagadue.access=unrestricted",
                "management.endpoint.sagaruns.access=unrestricted")) {
            long parcel = claimByHand(shop);
            park(shop);

            assertThat(call("jmx.unrestricted", "Sagaclaims", "claims", new Object[] {null})
                            .toString())
                    .contains("entity=parcel", "node=gone", "more=false");
            assertThat(call("jmx.unrestricted", "Sagaworkflows", "workflows").toString())
                    .contains("name=parcel");
            assertThat(call("jmx.unrestricted", "Sagaworkflows", "diagram", "parcel"))
                    .isEqualTo(StateDiagramTests.PARCEL);
            assertThat(call("jmx.unrestricted", "Sagaclaims", "release", "parcel", Long.toString(parcel), null))
                    .isInstanceOfSatisfying(
                            Map.class,
                            release -> assertThat(release.get("result")).isEqualTo("RELEASED"));
            assertThat(shop.status(parcel)).isEqualTo("PACKED");
            long parked = shop.database()
                    .sql("SELECT id FROM saga_due WHERE parked_at IS NOT NULL")
                    .query(Long.class)
                    .single();
            assertThat(call("jmx.unrestricted", "Sagadue", "retry", parked)).isEqualTo(Map.of("due", true));
            assertThat(call("jmx.unrestricted", "Sagaruns", "list", null, null, null, null, null, null))
                    .isInstanceOfSatisfying(
                            Map.class, listed -> assertThat(listed.get("runs")).isEqualTo(List.of()));
            assertThat(call("jmx.unrestricted", "Sagaruns", "cancel", new UUID(0, 0).toString()))
                    .isInstanceOfSatisfying(
                            Map.class,
                            answer -> assertThat(answer.get("result")).isEqualTo("UNKNOWN"));
            assertThat(call(
                            "jmx.unrestricted",
                            "Sagaruns",
                            "decide",
                            new UUID(0, 0).toString(),
                            "done",
                            "wire",
                            "null"))
                    .isInstanceOfSatisfying(
                            Map.class,
                            answer -> assertThat(answer.get("result")).isEqualTo("UNKNOWN"));
            assertThatThrownBy(() -> call(
                            "jmx.unrestricted", "Sagaruns", "decide", new UUID(0, 0).toString(), "perhaps", null, null))
                    .hasStackTraceContaining("Write done, not-done, give-up, signal");
        }
    }

    @Test
    void endpointsAreReadOnlyOverJmxByDefault() throws Exception {
        try (Shop shop = open(
                "spring.jmx.enabled=true",
                "management.endpoints.jmx.exposure.include=*",
                "management.endpoints.jmx.domain=jmx.reading")) {
            claimByHand(shop);

            assertThat(operations("jmx.reading", "Sagaclaims")).containsExactly("claims");
            assertThat(operations("jmx.reading", "Sagadue")).containsExactly("parked");
            assertThat(operations("jmx.reading", "Sagaruns")).containsExactlyInAnyOrder("list", "find");
            assertThat(List.of("Sagapauses", "Sagaleases", "Sagakeys"))
                    .allSatisfy(
                            name -> assertThat(operations("jmx.reading", name)).containsExactly("list"));
            assertThatThrownBy(() -> call("jmx.reading", "Sagaclaims", "release", "parcel", "1", null))
                    .isInstanceOf(ReflectionException.class);
            assertThat(shop.claims()).isOne();
        }
    }

    private Shop open(String... properties) {
        return Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET),
                Stream.concat(Stream.of(Http.ON_ANY_PORT, "saga.due.max-attempts=1"), Stream.of(properties))
                        .toArray(String[]::new));
    }

    /** Inserts a claim whose owner seems to be a node that has died. */
    private static long claimByHand(Shop shop) {
        long parcel = shop.pack();
        // This is one statement. Otherwise the search for orphans could find an entity in a claim state without a
        // claim.
        shop.database().sql("""
                WITH flipped AS (UPDATE parcel SET status = 'SENDING' WHERE id = ? RETURNING id)
                INSERT INTO saga_claim SELECT 'parcel', id::text, 'parcel', 'shop', 'SENDING', 'PACKED', 'admin', 'gone',
                    gen_random_uuid(), nextval('saga_token'), clock_timestamp(), clock_timestamp() FROM flipped""").param(parcel).update();
        return parcel;
    }

    private static void park(Shop shop) {
        shop.script().afterEffect = (entity, context) -> {
            throw new IllegalStateException("no mail server");
        };
        shop.send(shop.pack());
        await(() -> shop.database()
                        .sql("SELECT count(*) FROM saga_due WHERE parked_at IS NOT NULL")
                        .query(Integer.class)
                        .single()
                == 1);
    }

    private static void await(BooleanSupplier condition) {
        Awaitility.await().atMost(20, SECONDS).until(condition::getAsBoolean);
    }

    private static ObjectName name(MBeanServer server, String domain, String endpoint) throws Exception {
        Set<ObjectName> found =
                server.queryNames(new ObjectName(domain + ":type=Endpoint,name=" + endpoint + ",*"), null);
        assertThat(found).hasSize(1);
        return found.iterator().next();
    }

    private static List<String> operations(String domain, String endpoint) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        return Stream.of(server.getMBeanInfo(name(server, domain, endpoint)).getOperations())
                .map(MBeanOperationInfo::getName)
                .toList();
    }

    private static Object call(String domain, String endpoint, String operation, @Nullable Object... parameters)
            throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        return server.invoke(name(server, domain, endpoint), operation, parameters, new String[parameters.length]);
    }
}
