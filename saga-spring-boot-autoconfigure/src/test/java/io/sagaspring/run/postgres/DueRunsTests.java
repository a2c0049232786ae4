package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.PickedUpRun;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests which due runs a search finds. */
class DueRunsTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private Duration now = Duration.ofHours(1);
    private final DueRuns due = new DueRuns(
            SagaSchema.verify(database.dataSource(), null), "node", Duration.ofMinutes(1), new LastWrites(), () -> now);

    private UUID dueSince(int minutes) {
        return jdbc.sql("""
                        INSERT INTO saga_run (id, run, state, format, input, started_at, due_at)
                        VALUES (gen_random_uuid(), 'tale', 'pending', 'f', '', clock_timestamp(),
                            clock_timestamp() - ? * INTERVAL '1 minute')
                        RETURNING id""").param(minutes).query(UUID.class).single();
    }

    private List<UUID> take(int slots) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return due.take(connection, Set.of("tale"), slots, 10).stream()
                    .map(PickedUpRun::runLease)
                    .map(runLease -> runLease.id().value())
                    .toList();
        }
    }

    @Test
    void aRunThatBecameDueEarlierButWasCommittedLaterIsFoundAfterAShortTime() throws SQLException {
        UUID first = dueSince(10);
        UUID second = dueSince(9);
        assertThat(take(1)).containsExactly(first);
        UUID committedLate = dueSince(11);

        assertThat(take(1)).containsExactly(second);
        now = now.plusMillis(101);
        assertThat(take(1)).containsExactly(committedLate);
    }

    @Test
    void aRunThatBecameDueEarlierIsFoundAtOnceIfASlotIsLeft() throws SQLException {
        UUID first = dueSince(10);
        assertThat(take(1)).containsExactly(first);
        UUID committedLate = dueSince(11);

        assertThat(take(2)).containsExactly(committedLate);
    }

    @Test
    void aSearchBeginsAtTheEarliestRunOfTheLatestSearch() throws SQLException {
        UUID first = dueSince(10);
        UUID second = dueSince(8);
        assertThat(take(2)).containsExactly(first, second);
        dueSince(7);
        UUID between = dueSince(9);

        assertThat(take(1)).containsExactly(between);
    }

    @Test
    void runsThatAreDueAtTheSameTimeAreAllFound() throws SQLException {
        for (int number = 0; number < 40; number++) {
            dueSince(10);
        }
        jdbc.sql("UPDATE saga_run SET due_at = (SELECT min(due_at) FROM saga_run)")
                .update();

        assertThat(take(20)).hasSize(20).doesNotHaveDuplicates();
        assertThat(take(7)).hasSize(7);
        assertThat(take(100)).hasSize(13);
        assertThat(take(1)).isEmpty();
    }
}
