package io.sagaspring.sample.dunning;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sagaspring.fence.FencingToken;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Stores the loops (lists of dunning letters) and their stories (the letters). A change of a letter is refused if the
 * letter has passed, or has a greater token than the writer.
 */
@Component
class DunningLoops {

    private final JdbcClient database;

    DunningLoops(JdbcClient database) {
        this.database = database;
    }

    record Story(
            String id,
            String status,
            @Nullable Long token,
            @Nullable String node) {

        @JsonIgnore
        boolean isPassed() {
            return status.equals("passed");
        }
    }

    record Task(String story, Duration step) {}

    /**
     * Appends the new letters to the loop. Call this method in a transaction. The method locks the loop until the
     * transaction ends.
     */
    void add(String loop, List<String> stories, Duration step) {
        addTo(loop, stories, step, "SET step_millis = excluded.step_millis");
    }

    /**
     * Adds letters like {@link #add}, but does not change how long the work on each letter of an existing loop takes.
     */
    void addOnly(String loop, List<String> stories, Duration step) {
        addTo(loop, stories, step, "SET id = excluded.id");
    }

    private void addTo(String loop, List<String> stories, Duration step, String update) {
        // Unlike DO NOTHING, DO UPDATE locks the row. Without the lock, two callers that add the same letters in
        // different orders could deadlock.
        database.sql("INSERT INTO dunning_loop (id, step_millis) VALUES (:loop, :millis) ON CONFLICT (id) DO UPDATE "
                        + update)
                .param("loop", loop)
                .param("millis", step.toMillis())
                .update();
        // Do not use ON CONFLICT here. If a chain is marking one of these letters as passed, that clause would wait
        // until the chain has also sent the mail and committed.
        database.sql("""
                INSERT INTO dunning_story (loop_id, id)
                SELECT :loop, added.id FROM unnest(:stories) WITH ORDINALITY AS added (id, number)
                WHERE NOT EXISTS (SELECT FROM dunning_story AS story WHERE loop_id = :loop AND story.id = added.id)
                ORDER BY number""")
                .param("loop", loop)
                .param("stories", stories.toArray(String[]::new))
                .update();
    }

    /** Returns true if the loop contains all these letters, and each letter of the loop has passed. */
    boolean isPassed(String loop, List<String> stories) {
        return database.sql("""
                SELECT count(*) FILTER (WHERE status <> 'passed') = 0
                    AND count(*) FILTER (WHERE id = ANY(:stories)) = :size
                FROM dunning_story WHERE loop_id = :loop""")
                .param("loop", loop)
                .param("stories", stories.toArray(String[]::new))
                .param("size", stories.size())
                .query(Boolean.class)
                .single();
    }

    List<Story> stories(String loop) {
        return database.sql("""
                SELECT id, status, token, node FROM dunning_story WHERE loop_id = :loop ORDER BY position""")
                .param("loop", loop)
                .query((row, number) -> new Story(
                        row.getString("id"),
                        row.getString("status"),
                        row.getObject("token", Long.class),
                        row.getString("node")))
                .list();
    }

    /** Returns the unfinished loops in random order, so that the nodes do not all begin with the same loop. */
    List<String> unfinished() {
        return database.sql("""
                SELECT loop_id FROM dunning_story WHERE status <> 'passed' GROUP BY loop_id ORDER BY random()""").query(String.class).list();
    }

    Optional<Task> next(String loop) {
        return database.sql("""
                SELECT story.id, step_millis FROM dunning_story AS story JOIN dunning_loop ON dunning_loop.id = loop_id
                WHERE loop_id = :loop AND status <> 'passed' ORDER BY position LIMIT 1""")
                .param("loop", loop)
                .query((row, number) -> new Task(row.getString("id"), Duration.ofMillis(row.getLong("step_millis"))))
                .optional();
    }

    /**
     * Assigns the letter to the owner with this token. Returns false if the letter has passed or has a greater token.
     */
    boolean take(String loop, String story, FencingToken token, String node) {
        return write("in_progress", loop, story, token, node);
    }

    /** Marks the letter as passed. Returns false if it has already passed or has a greater token. */
    boolean pass(String loop, String story, FencingToken token, String node) {
        return write("passed", loop, story, token, node);
    }

    private boolean write(String status, String loop, String story, FencingToken token, String node) {
        return database.sql("""
                UPDATE dunning_story SET status = :status, token = :token, node = :node
                WHERE loop_id = :loop AND id = :story AND status <> 'passed' AND (token IS NULL OR token <= :token)""")
                        .param("status", status)
                        .param("loop", loop)
                        .param("story", story)
                        .param("token", token.value())
                        .param("node", node)
                        .update()
                == 1;
    }
}
