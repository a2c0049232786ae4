package io.sagaspring.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class OldestClaimTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @Test
    void theOldestClaimIsFoundWithoutReadingAllClaims() {
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        jdbc.sql("""
                INSERT INTO saga_claim (entity, entity_id, workflow, module, claim_state, revert_to, requester, node, attempt,
                    token, claimed_at, alive_at)
                SELECT 'parcel', n, 'shipping', 'shop', 'SENDING', 'PACKED', 'clerk', 'node', gen_random_uuid(), n,
                    now() - CASE WHEN n = 19999 THEN INTERVAL '3 hours' ELSE INTERVAL '1 hour' END,
                    now() - n * INTERVAL '1 millisecond'
                FROM generate_series(1, 20000) AS n""").update();
        jdbc.sql("VACUUM (ANALYZE) saga_claim").update();
        LedgerRows rows = new LedgerRows("saga_claim", "'saga_token'", false);

        List<ClaimedRow> found = new OwnTransactions(database.dataSource()).single(rows::oldest);

        assertThat(found).extracting(ClaimedRow::id).containsExactly("19999");
        assertThat(jdbc.sql("EXPLAIN " + rows.oldest()).query(String.class).list())
                .anyMatch(line -> line.contains("saga_claim_alive"))
                .noneMatch(line -> line.contains("Seq Scan"));
    }
}
