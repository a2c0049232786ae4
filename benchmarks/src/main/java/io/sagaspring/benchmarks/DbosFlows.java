package io.sagaspring.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;

/**
 * DBOS Transact. Flows are started and awaited as the README of DBOS shows under "Asynchronous execution". The flows
 * are not put into a queue, because a queue would limit and distribute them. DBOS uses a pool that the benchmark
 * provides, as its page "DBOS Lifecycle" describes. DBOS does not listen for messages, because there are none and
 * listening would use one of the connections. DBOS itself chooses its number of threads.
 */
final class DbosFlows implements Flows {

    private final Ground ground;
    private final HikariDataSource pool;
    private final DBOS dbos;
    private final Steps flow;

    DbosFlows(Ground ground) {
        this.ground = ground;
        this.pool = ground.pool();
        this.dbos = new DBOS(DBOSConfig.defaults("benchmark")
                .withDataSource(pool)
                .withDatabaseSchema(ground.schema())
                .withMigrate(true)
                .withUseListenNotify(false));
        this.flow = dbos.registerProxy(Steps.class, new ThreeOfThem(dbos));
        dbos.launch();
    }

    interface Steps {
        String run(String input);
    }

    static final class ThreeOfThem implements Steps {

        private final DBOS dbos;

        ThreeOfThem(DBOS dbos) {
            this.dbos = dbos;
        }

        @Override
        @Workflow
        public String run(String input) {
            String first = dbos.runStep(() -> input, "first");
            String second = dbos.runStep(() -> first, "second");
            return dbos.runStep(() -> second, "third");
        }
    }

    @Override
    public String run(String payload) {
        return dbos.startWorkflow(() -> flow.run(payload)).getResult();
    }

    @Override
    public long over() {
        return ground.count("workflow_status WHERE status = 'SUCCESS'");
    }

    @Override
    public void close() {
        dbos.shutdown();
        pool.close();
    }
}
