package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** The pages of claims, background work and deliveries show each row once, in order, however small the pages are. */
class ListPagesTests {

    private static TestDatabase database;
    private static DashboardApp app;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        app = DashboardApp.withoutSecurity(database);
        insert("""
                INSERT INTO saga_claim (entity, entity_id, workflow, module, claim_state, revert_to, requester, node, attempt,
                    token, claimed_at, alive_at)
                SELECT 'none', n, 'none', 'none', 'SENDING', 'PACKED', 'clerk', 'node', gen_random_uuid(), 100 - n, now(),
                    date_trunc('second', now()) - n / 2 * INTERVAL '1 second'
                FROM generate_series(1, 9) AS n""");
        insert("""
                INSERT INTO saga_due (queue, work_key, payload, due_at, parked_at, attempts)
                SELECT CASE WHEN n < 5 THEN 'parked' ELSE 'gone' END, n, 'x', date_trunc('second', now()) - INTERVAL '1 hour',
                    CASE WHEN n < 5 THEN date_trunc('second', now()) + n / 2 * INTERVAL '1 second' END, 3
                FROM generate_series(1, 9) AS n""");
        insert("""
                INSERT INTO saga_delivery (listener, event, line, order_key, format, payload, published_at, due_at, attempts)
                SELECT 'other-' || n % 2, 'Ordered', n, 'key-' || n, 'json', '1', now(), now(), 0 FROM generate_series(1, 9) AS n""");
    }

    private static void insert(String rows) {
        assertThat(JdbcClient.create(database.dataSource()).sql(rows).update()).isEqualTo(9);
    }

    @AfterAll
    static void close() {
        app.close();
        database.close();
    }

    /** Follows the pages until the last one, and returns the member of all items. */
    private static List<String> all(String list, String member, int limit) {
        List<String> all = new ArrayList<>();
        String after = "";
        while (after != null) {
            JsonNode page = app.read("/saga/api/%s?limit=%s%s".formatted(list, limit, after));
            assertThat(page.get("items").size()).isBetween(1, limit);
            page.get("items").forEach(item -> all.add(item.get(member).asString()));
            after = page.get("next").isNull()
                    ? null
                    : "&after=" + page.get("next").asString();
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 9, 50})
    void eachRowIsOnOnePage(int limit) {
        assertThat(all("claims", "id", limit)).containsExactly("9", "8", "7", "6", "5", "4", "3", "2", "1");
        assertThat(all("work", "key", limit)).containsExactly("1", "2", "3", "4", "5", "6", "7", "8", "9");
        assertThat(all("deliveries", "key", limit))
                .containsExactly("key-1", "key-2", "key-3", "key-4", "key-5", "key-6", "key-7", "key-8", "key-9");
    }

    @Test
    void aPlaceThatNoPageHasNamedIsABadRequest() {
        for (String address : List.of(
                "claims?after=x",
                "claims?after=2026-01-01T00:00:00Z",
                "claims?after=2026-01-01T00:00:00Z_x",
                "claims?after=-999999-01-01T00:00:00Z_1",
                "work?after=p",
                "work?after=x2026-01-01T00:00:00Z_1",
                "deliveries?after=x")) {
            assertThat(app.get("/saga/api/" + address).statusCode()).as(address).isEqualTo(400);
        }
    }
}
