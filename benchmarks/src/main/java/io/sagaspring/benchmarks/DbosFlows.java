package io.sagaspring.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;

/**
 * DBOS Transact, called directly: started and awaited as its README shows under "Asynchronous execution", without a queue,
 * which it has to limit and distribute. Its pool is ours, as its page "DBOS Lifecycle" describes. It does not listen for
 * messages, of which there are none: that would take one of the connections. How many threads it has is its own affair.
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
