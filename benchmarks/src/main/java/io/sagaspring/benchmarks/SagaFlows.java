package io.sagaspring.benchmarks;

import io.sagaspring.autoconfigure.SagaAutoConfiguration;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.SagaResult;
import io.sagaspring.saga.Sagas;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Flows that are sagas. Their steps do nothing, so that only the journal is measured. */
final class SagaFlows implements Flows {

    private final Ground ground;
    private final ConfigurableApplicationContext application;
    private final Sagas sagas;

    SagaFlows(Ground ground) {
        this.ground = ground;
        this.application = OurFlows.open(SagaApplication.class, ground.url(), ground.connections(), ground.callers());
        Ground.fill(application.getBean(DataSource.class), ground.connections());
        this.sagas = application.getBean(Sagas.class);
    }

    /** The same steps as those of {@link ThreeSteps}. */
    static final class ThreeSagaSteps implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("first", context -> context.input());
            saga.step("second", context -> context.get("first", String.class));
            saga.step("third", context -> context.get("second", String.class));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(OurFlows.Application.class)
    @ImportAutoConfiguration(SagaAutoConfiguration.class)
    static class SagaApplication {

        @Bean
        ThreeSagaSteps threeSteps() {
            return new ThreeSagaSteps();
        }
    }

    @Override
    public String run(String payload) {
        SagaHandle started = sagas.start(ThreeSagaSteps.class, payload);
        SagaResult ended;
        try {
            ended = sagas.await(started.id(), Ground.PATIENCE);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        if (ended.state() != RunState.COMPLETED) {
            throw new IllegalStateException("The saga is in state %s".formatted(ended.state()));
        }
        return ended.get("third", String.class);
    }

    @Override
    public long over() {
        return ground.count("saga_run WHERE state = 'completed'");
    }

    @Override
    public void close() {
        application.close();
    }
}
