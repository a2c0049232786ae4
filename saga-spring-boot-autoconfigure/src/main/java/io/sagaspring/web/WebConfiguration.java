package io.sagaspring.web;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.run.Runs;
import io.sagaspring.workflow.Workflows;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Defines the beans of this package: one controller advice for each group of exceptions or outcomes that can occur in
 * the application.
 *
 * @since 0.1.0
 */
@Configuration(proxyBeanMethods = false)
public class WebConfiguration {

    WebConfiguration() {}

    @Bean
    @ConditionalOnBean(OwnTransactions.class)
    UnknownOutcomeAdvice sagaUnknownOutcomeAdvice() {
        return new UnknownOutcomeAdvice();
    }

    @Bean
    @ConditionalOnBean(Workflows.class)
    ProblemAdvice sagaProblemAdvice() {
        return new ProblemAdvice();
    }

    @Bean
    @ConditionalOnBean(Workflows.class)
    OutcomeAdvice sagaOutcomeAdvice() {
        return new OutcomeAdvice();
    }

    @Bean
    @ConditionalOnBean(IdempotencyKeys.class)
    KeyProblemAdvice sagaKeyProblemAdvice() {
        return new KeyProblemAdvice();
    }

    @Bean
    @ConditionalOnBean(Runs.class)
    RunProblemAdvice sagaRunProblemAdvice() {
        return new RunProblemAdvice();
    }
}
