package io.sagaspring.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The common part of the contenders that are written by hand. They write one row for each flow and one row for each
 * step. A flow is executed on its caller's thread.
 */
abstract class FlowsByHand implements Flows {

    private static final int STEPS = 3;

    private static final String TABLES = """
            CREATE TABLE flow (id uuid PRIMARY KEY, state text NOT NULL, token bigint NOT NULL, position integer NOT NULL,
                input bytea NOT NULL) WITH (fillfactor = 80);
            CREATE TABLE flow_step (flow_id uuid NOT NULL, position integer NOT NULL, result bytea NOT NULL,
                PRIMARY KEY (flow_id, position))
            """;

    private final Ground ground;
    private final HikariDataSource pool;

    FlowsByHand(Ground ground) {
        this.ground = ground;
        ground.run(TABLES);
        this.pool = ground.pool();
    }

    abstract void start(UUID id, byte[] payload);

    /** Stores the result of a step and advances the flow, in one commit. */
    abstract void store(UUID id, int position, String state, byte[] result);

    @Override
    public final String run(String payload) {
        UUID id = UUID.randomUUID();
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        start(id, bytes);
        for (int position = 0; position < STEPS; position++) {
            store(id, position, position == STEPS - 1 ? "completed" : "running", bytes);
        }
        return payload;
    }

    final HikariDataSource pool() {
        return pool;
    }

    static void require(boolean written) {
        if (!written) {
            throw new IllegalStateException("The state of the flow was not written");
        }
    }

    @Override
    public final long over() {
        return ground.count("flow WHERE state = 'completed'");
    }

    @Override
    public void close() {
        pool.close();
    }
}
