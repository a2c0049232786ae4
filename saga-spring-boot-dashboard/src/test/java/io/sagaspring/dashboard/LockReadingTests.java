package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.KeyCheck;
import io.sagaspring.idempotency.KeyClaim;
import io.sagaspring.idempotency.StoredReply;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.run.RunId;
import io.sagaspring.test.database.TestDatabase;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Leases, idempotency keys and nodes are shown, and a person frees a lease or a key. */
class LockReadingTests {

    private static final String HOSTILE = "<img src=x onerror=alert(1)>&'";
    private static final String[] GUARD = {"X-Saga-Dashboard", "1"};

    private static TestDatabase database;
    private static DashboardApp app;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        app = DashboardApp.withoutSecurity(database, "saga.dashboard.access=unrestricted");
    }

    @AfterAll
    static void close() {
        app.close();
        database.close();
    }

    @BeforeEach
    void empty() {
        app.sql().sql("DELETE FROM saga_lease").update();
        app.sql().sql("DELETE FROM saga_idempotency_key").update();
    }

    private static Lease acquire(String name) {
        return app.bean(LeaseManager.class).acquire(new LeaseName(name));
    }

    private static KeyClaim claim(IdempotencyKey key) {
        return ((KeyCheck.New) app.bean(IdempotencyKeys.class).check(key)).claim();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static List<String> pages(String name, String field) {
        List<String> found = new ArrayList<>();
        String next = "";
        do {
            JsonNode page = app.read("/saga/api/%s?limit=2&after=%s".formatted(name, encoded(next)));
            page.get("items").forEach(each -> found.add(each.get(field).asString()));
            next = page.get("next").isNull() ? "" : page.get("next").asString();
        } while (!next.isEmpty());
        return found;
    }

    private static HttpResponse<String> free(String operation, String object, String token) {
        return app.post(
                "/saga/api/operations",
                "{\"operation\":\"%s\",%s,\"token\":\"%s\",\"reason\":\"stuck\"}".formatted(operation, object, token),
                GUARD);
    }

    @Test
    void leasesAreListedInPagesAndKeepHostileNamesAsText() {
        try (Lease one = acquire(HOSTILE);
                Lease two = acquire("b");
                Lease three = acquire("c")) {
            assertThat(pages("leases", "name")).containsExactlyInAnyOrder(HOSTILE, "b", "c");
            JsonNode found = app.read("/saga/api/leases?state=held&name=" + encoded(HOSTILE))
                    .get("items")
                    .get(0);
            assertThat(found.get("token").asString()).isEqualTo(one.token().toString());
            assertThat(found.get("operations").toString()).isEqualTo("[\"lease.free\"]");
            assertThat(found.get("endedAt").isNull()).isTrue();
            assertThat(List.of(two.isLost(), three.isLost())).containsOnly(false);
        }
        assertThat(app.read("/saga/api/leases?state=free")
                        .get("items")
                        .get(0)
                        .get("operations")
                        .size())
                .isZero();
    }

    @Test
    void aFreedLeaseIsNoLongerHeldByItsOwner() {
        try (Lease lease = acquire("n")) {
            String token = lease.token().toString();
            assertThat(free("lease.free", "\"name\":\"n\"", "0").statusCode()).isEqualTo(409);
            assertThat(lease.guard().isHeld()).isTrue();

            assertThat(free("lease.free", "\"name\":\"n\"", token).statusCode()).isEqualTo(200);

            assertThat(lease.guard().isHeld()).isFalse();
            assertThat(lease.renew()).isFalse();
            assertThat(free("lease.free", "\"name\":\"n\"", token).statusCode()).isEqualTo(409);
            assertThat(app.read("/saga/api/audit?kind=lease&target=n&limit=2")
                            .at("/items/1/reason")
                            .asString())
                    .isEqualTo("stuck");
        }
    }

    @Test
    void aNameThatCannotExistIsUnknown() {
        assertThat(free("lease.free", "\"name\":\"a\\u0000b\"", "1").statusCode())
                .isEqualTo(404);
        assertThat(free("lease.free", "\"name\":\"a\\u001fb\"", "1").statusCode())
                .isEqualTo(404);
        assertThat(free("key.free", "\"id\":\"a\\u0000b\"", "1").statusCode()).isEqualTo(404);
    }

    @Test
    void keysAreListedInPagesWithoutTheirReplies() {
        for (String each : new String[] {"1", "2", "3"}) {
            claim(IdempotencyKey.of(HOSTILE, "client-id-" + each))
                    .complete(new StoredReply("json", null, "secret-reply".getBytes(StandardCharsets.UTF_8)));
        }

        assertThat(pages("keys", "id")).hasSize(3).doesNotHaveDuplicates();
        JsonNode found = app.read("/saga/api/keys?state=completed");
        assertThat(found.toString()).doesNotContain("secret-reply", "client-id");
        assertThat(found.at("/items/0/operation").asString()).isEqualTo(HOSTILE);
        assertThat(found.at("/items/0/operations").size()).isZero();
        assertThat(app.read("/saga/api/keys?request=client-id-2&operation=" + encoded(HOSTILE))
                        .get("items"))
                .hasSize(1);
        assertThat(app.read("/saga/api/keys?request=other&operation=" + encoded(HOSTILE))
                        .get("items"))
                .isEmpty();
    }

    @Test
    void onlyTheKeyOfAnUnansweredRequestIsFreed() {
        KeyClaim stuck = claim(IdempotencyKey.of("pay", "r-1"));
        JsonNode row = app.read("/saga/api/keys?state=processing").at("/items/0");
        String id = "\"id\":\"%s\"".formatted(row.get("id").asString());
        assertThat(row.get("operations").toString()).isEqualTo("[\"key.free\"]");

        assertThat(free("key.free", id, "0").statusCode()).isEqualTo(409);
        assertThat(free("key.free", id, row.get("token").asString()).statusCode())
                .isEqualTo(200);
        stuck.fail();
        KeyClaim next = claim(IdempotencyKey.of("pay", "r-1"));
        next.complete(new StoredReply("json", null, new byte[] {1}));

        String token = app.read("/saga/api/keys").at("/items/0/token").asString();
        HttpResponse<String> refused = free("key.free", id, token);
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("was answered");
    }

    @Test
    void nodesAreKnownByWhatTheyHold() {
        RunId id = RunId.next();
        app.sql().sql("""
                INSERT INTO saga_run (id, run, state, format, input, started_at, token, node, due_at)
                VALUES (?::uuid, 'elsewhere', 'running', 'json', '""', clock_timestamp(), 1, 'other-node',
                    clock_timestamp() + INTERVAL '20 seconds')""").param(id.toString()).update();
        try (Lease lease = acquire("n")) {
            JsonNode nodes = app.read("/saga/api/nodes");

            JsonNode here = null;
            JsonNode other = null;
            for (JsonNode each : nodes.get("items")) {
                here = each.get("here").asBoolean() ? each : here;
                other = each.get("name").asString().equals("other-node") ? each : other;
            }
            assertThat(nodes.get("complete").asBoolean()).isTrue();
            assertThat(here).isNotNull();
            assertThat(here.at("/holds/leases").asInt()).isOne();
            assertThat(here.get("executes").toString()).contains("charge", "trip");
            assertThat(here.get("heartbeatAt").asString()).endsWith("Z");
            assertThat(other).isNotNull();
            assertThat(other.at("/holds/runs").asInt()).isOne();
            assertThat(other.get("executes").isNull()).isTrue();
            assertThat(other.get("version").isNull()).isTrue();
            assertThat(lease.isLost()).isFalse();
        } finally {
            app.sql()
                    .sql("DELETE FROM saga_run WHERE id = ?::uuid")
                    .param(id.toString())
                    .update();
        }
    }

    @Test
    void leasesInMemoryAreNotListed() {
        try (DashboardApp other = DashboardApp.withoutSecurity(database, "saga.leases.store=memory")) {
            assertThat(other.get("/saga/api/leases").statusCode()).isEqualTo(404);
            assertThat(other.read("/saga/api/me").get("capabilities").toString())
                    .doesNotContain("leases")
                    .contains("keys");
            assertThat(other.read("/saga/api/nodes").get("items").size()).isPositive();
        }
    }

    @Test
    void badParametersAreRefused() {
        for (String query : new String[] {
            "leases?state=gone",
            "leases?after=*",
            "leases?token=1",
            "keys?state=gone",
            "keys?after=x",
            "keys?after=%2B500000-01-01T00:00:00Z_00",
            "keys?operation=o&request=r&state=abandoned",
            "keys?request=r",
            "keys?account=a",
            "keys?operation=o&request=a%20b",
            "nodes?x=1"
        }) {
            assertThat(app.get("/saga/api/" + query).statusCode()).as(query).isEqualTo(400);
        }
    }
}
