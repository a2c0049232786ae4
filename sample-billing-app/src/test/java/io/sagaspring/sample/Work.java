package io.sagaspring.sample;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api.Answer;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.function.IntFunction;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Starts many callers at the same time, and waits for the background work that follows. */
public final class Work {

    /** Blocks all effects, for example mails and charges. Their callers wait before an effect is recorded. */
    public static final String NO_EFFECTS = "LOCK TABLE effects.effect IN SHARE MODE";

    /** Blocks the commits of steps with after-effects. */
    public static final String NO_AFTER_EFFECTS = "LOCK TABLE saga_due IN SHARE ROW EXCLUSIVE MODE";

    private Work() {}

    /** Starts all calls at the same moment. */
    public static <T> List<CompletableFuture<T>> race(int callers, IntFunction<T> call) {
        CyclicBarrier start = new CyclicBarrier(callers);
        List<CompletableFuture<T>> answers = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            int number = caller;
            CompletableFuture<T> answer = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    start.await(30, SECONDS);
                    answer.complete(call.apply(number));
                } catch (Exception | AssertionError failed) {
                    answer.completeExceptionally(failed);
                }
            });
            thread.setDaemon(true);
            thread.start();
            answers.add(answer);
        }
        return answers;
    }

    /**
     * Starts all calls at the same time, while a lock that only the winner needs is held, and returns the winner's
     * response.
     */
    public static Answer raceBehind(TestDatabase database, String lock, int callers, IntFunction<Answer> call) {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        whileLocked(database, lock, () -> {
            answers.addAll(race(callers, call));
            await().atMost(60, SECONDS)
                    .until(() ->
                            answers.stream().filter(CompletableFuture::isDone).count() >= callers - 1);
        });
        List<Answer> all = answers.stream().map(CompletableFuture::join).toList();
        assertThat(all).filteredOn(answer -> answer.status() == 200).hasSize(1);
        all.stream().filter(answer -> answer.status() != 200).forEach(loser -> {
            loser.requireProblem(409, "ClaimFailed");
            assertThat(loser.text("detail")).isEqualTo("another operation is already in progress");
        });
        return all.stream().filter(answer -> answer.status() == 200).findFirst().orElseThrow();
    }

    /**
     * Runs the test while this method holds a lock that the application needs. The first caller therefore waits in the
     * middle of its work.
     */
    public static void whileLocked(TestDatabase database, String lock, Runnable test) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(lock);
            test.run();
            connection.rollback();
        } catch (SQLException failed) {
            throw new IllegalStateException("Could not lock by " + lock, failed);
        }
    }

    /** Waits until this number of callers is waiting for a lock on a table. */
    public static void awaitWaiting(TestDatabase database, String table, int callers) {
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        await().atMost(30, SECONDS)
                .until(() ->
                        jdbc.sql("""
                        SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
                        WHERE NOT granted AND relation = ?::regclass AND datname = current_database()""").param(table).query(Integer.class).single().equals(callers));
    }

    /** Waits until every after-effect is delivered. */
    public static void awaitNone(JdbcClient database) {
        await().atMost(30, SECONDS)
                .until(() -> database.sql("SELECT count(*) FROM saga_due")
                        .query(Integer.class)
                        .single()
                        .equals(0));
    }
}
