package io.sagaspring.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.due.DueTable.Picked;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that a node cannot change work that it has lost to another node. */
class DueTableTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final SagaSchema schema = SagaSchema.migrate(database.dataSource(), null);
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private static final Set<String> MAIL = Set.of("mail");
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final DueTable first = new DueTable(schema, "first", LEASE, false);
    private final DueTable second = new DueTable(schema, "second", LEASE, false);

    private Connection connection;

    @BeforeEach
    void schedule() throws SQLException {
        connection = database.dataSource().getConnection();
        first.insert(connection, "mail", "a", "payload", null);
    }

    @AfterEach
    void clear() throws SQLException {
        connection.close();
        jdbc.sql("DELETE FROM saga_due").update();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @Test
    void parkedWorkIsCountedUpToALimit() throws SQLException {
        jdbc.sql("""
                INSERT INTO saga_due (queue, work_key, payload, due_at, parked_at)
                SELECT 'mail', n, '', now(), now() FROM generate_series(1, 10010) AS n""").update();

        assertThat(first.countParked(connection)).isEqualTo(DueTable.MOST_PARKED);
    }

    @Test
    void aNodeThatLostItsWorkCannotRemoveIt() throws SQLException {
        Picked lost = pickedUpByTheSecondNodeToo();

        assertThat(first.done(connection, lost)).isFalse();

        assertSecondNodeHasIt();
    }

    @Test
    void aNodeThatLostItsWorkCannotRecordAFailure() throws SQLException {
        Picked lost = pickedUpByTheSecondNodeToo();

        assertThat(first.failed(connection, lost, Duration.ZERO, true, "offline"))
                .isFalse();

        assertSecondNodeHasIt();
    }

    @Test
    void aNodeThatLostItsWorkCannotReleaseIt() throws SQLException {
        Picked lost = pickedUpByTheSecondNodeToo();

        assertThat(first.release(connection, lost, Duration.ZERO)).isFalse();

        assertSecondNodeHasIt();
    }

    @Test
    void aNodeThatLostItsWorkDoesNotRenewItsLease() throws SQLException {
        Picked lost = pickedUpByTheSecondNodeToo();

        assertThat(first.renewals().renew(connection, List.of(lost.held()))).isEmpty();
        assertThat(first.renewals().stillHeld(connection, List.of(lost.held()))).isEmpty();
    }

    @Test
    void aNodeSkipsWorkThatAnotherNodeIsPickingUp() throws SQLException {
        connection.setAutoCommit(false);
        assertThat(first.pick(connection, MAIL, 1, 3)).hasSize(1);
        first.insert(connection, "mail", "b", "payload", null);
        try (Connection others = database.dataSource().getConnection()) {
            first.insert(others, "mail", "c", "payload", null);
            try (var patience = others.createStatement()) {
                patience.execute("SET lock_timeout = '100ms'");
            }

            assertThat(second.pick(others, MAIL, 10, 3))
                    .extracting(picked -> picked.item().key())
                    .containsExactly("c");
        }
        connection.rollback();
    }

    /** Ends the first node's lease, and lets the second node pick up the work. */
    private Picked pickedUpByTheSecondNodeToo() throws SQLException {
        Picked lost = first.pick(connection, MAIL, 1, 3).get(0);
        jdbc.sql("UPDATE saga_due SET due_at = clock_timestamp()").update();
        assertThat(second.pick(connection, MAIL, 1, 3)).hasSize(1);
        return lost;
    }

    private static void assertSecondNodeHasIt() {
        var row = jdbc.sql(
                        "SELECT node, attempts, parked_at, last_error, due_at > clock_timestamp() AS leased FROM saga_due")
                .query()
                .singleRow();
        assertThat(row)
                .containsEntry("node", "second")
                .containsEntry("attempts", 2)
                .containsEntry("parked_at", null)
                .containsEntry("last_error", null)
                .containsEntry("leased", true);
    }
}
