package io.sagaspring.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.flowable.common.engine.impl.cfg.TransactionState;
import org.flowable.common.engine.impl.context.Context;
import org.flowable.common.engine.impl.history.HistoryLevel;
import org.flowable.common.engine.impl.persistence.StrongUuidGenerator;
import org.flowable.engine.ProcessEngine;
import org.flowable.engine.ProcessEngineConfiguration;
import org.flowable.engine.delegate.DelegateExecution;
import org.flowable.engine.delegate.JavaDelegate;
import org.flowable.spring.SpringProcessEngineConfiguration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * Flowable with three asynchronous service tasks, whose results are variables. The settings follow chapters of
 * Flowable's user guide. The threads follow "Async executor configuration", and the pool follows "Database
 * configuration". The ids follow "UUID ID generator", which is for many concurrent callers. History is off, because the
 * chapter "History configuration" calls this the fastest setting. A sequence of steps does not need Flowable's
 * "Exclusive Jobs". Spring manages the transactions. If Flowable did, each commit would need a second connection, and
 * threads would wait for each other when there are as many threads as connections.
 */
final class FlowableFlows implements Flows {

    private static final String INPUT = "input";
    private static final String LAST = "third";
    private static final Map<String, String> PREVIOUS = Map.of("first", INPUT, "second", "first", LAST, "second");

    private static final String PROCESS = """
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn"
                targetNamespace="benchmark">
              <process id="three-steps" isExecutable="true">
                <startEvent id="start"/>
                <sequenceFlow id="to-first" sourceRef="start" targetRef="first"/>
                <serviceTask id="first" flowable:async="true" flowable:exclusive="false"
                    flowable:delegateExpression="${step}"/>
                <sequenceFlow id="to-second" sourceRef="first" targetRef="second"/>
                <serviceTask id="second" flowable:async="true" flowable:exclusive="false"
                    flowable:delegateExpression="${step}"/>
                <sequenceFlow id="to-third" sourceRef="second" targetRef="third"/>
                <serviceTask id="third" flowable:async="true" flowable:exclusive="false"
                    flowable:delegateExpression="${step}"/>
                <sequenceFlow id="to-end" sourceRef="third" targetRef="end"/>
                <endEvent id="end"/>
              </process>
            </definitions>
            """;

    private final Ground ground;
    private final HikariDataSource pool;
    private final ProcessEngine engine;
    private final Endings endings = new Endings();
    private final AtomicLong started = new AtomicLong();

    FlowableFlows(Ground ground) {
        this.ground = ground;
        this.pool = ground.pool();
        SpringProcessEngineConfiguration configuration = new SpringProcessEngineConfiguration();
        configuration.setDataSource(pool);
        configuration.setTransactionManager(new DataSourceTransactionManager(pool));
        configuration.setDatabaseSchema(ground.schema());
        configuration.setDatabaseSchemaUpdate(ProcessEngineConfiguration.DB_SCHEMA_UPDATE_TRUE);
        configuration.setDisableIdmEngine(true);
        configuration.setDisableEventRegistry(true);
        configuration.setHistoryLevel(HistoryLevel.NONE);
        configuration.setIdGenerator(new StrongUuidGenerator());
        configuration.setAsyncExecutorActivate(true);
        configuration.setAsyncExecutorCorePoolSize(ground.callers());
        configuration.setAsyncExecutorMaxPoolSize(ground.callers());
        configuration.setBeans(Map.of("step", (JavaDelegate) this::step));
        this.engine = configuration.buildProcessEngine();
        engine.getRepositoryService()
                .createDeployment()
                .addString("three-steps.bpmn20.xml", PROCESS)
                .deploy();
        // In an application, Spring starts the executors when the application context starts.
        engine.startExecutors();
    }

    private void step(DelegateExecution execution) {
        String step = execution.getCurrentActivityId();
        String result = (String) execution.getVariable(PREVIOUS.get(step));
        execution.setVariable(step, result);
        if (step.equals(LAST)) {
            String id = execution.getProcessInstanceId();
            Context.getTransactionContext()
                    .addTransactionListener(TransactionState.COMMITTED, committed -> endings.complete(id, result));
        }
    }

    @Override
    public String run(String payload) {
        String id = engine.getRuntimeService()
                .startProcessInstanceByKey("three-steps", Map.of(INPUT, payload))
                .getId();
        started.incrementAndGet();
        return endings.await(id);
    }

    /**
     * Returns the number of ended flows. Without a history, Flowable removes the rows of ended flows, so each remaining
     * row is a flow that has not ended.
     */
    @Override
    public long over() {
        return started.get() - ground.count("act_ru_execution WHERE parent_id_ IS NULL");
    }

    @Override
    public void close() {
        engine.close();
        pool.close();
    }
}
