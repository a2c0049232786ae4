package io.sagaspring.run;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Lets time pass in the database, so that no test has to wait for it. */
final class Passing {

    private static final Duration SOON = Duration.ofSeconds(15);

    private Passing() {}

    /** Ends the pause after which a released run can be picked up by the node that released it. */
    static void pauseOf(RunId id, JdbcClient jdbc) {
        await().atMost(SOON)
                .until(() ->
                        isEnded(id, jdbc) || jdbc.sql("""
                        UPDATE saga_run SET due_at = clock_timestamp()
                        WHERE id = ? AND node IS NULL AND due_at > clock_timestamp()""").param(id.value()).update() == 1);
    }

    /** If the test is slow, the pause may already have passed and the run may have ended. */
    private static boolean isEnded(RunId id, JdbcClient jdbc) {
        return jdbc.sql("SELECT ended_at IS NOT NULL FROM saga_run WHERE id = ?")
                .param(id.value())
                .query(Boolean.class)
                .single();
    }
}
