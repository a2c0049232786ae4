package io.sagaspring.autoconfigure;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.run.Runs;
import io.sagaspring.web.KeyProblemAdvice;
import io.sagaspring.web.OutcomeAdvice;
import io.sagaspring.web.ProblemAdvice;
import io.sagaspring.web.RunProblemAdvice;
import io.sagaspring.web.UnknownOutcomeAdvice;
import io.sagaspring.workflow.Workflows;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ProblemDetail;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/**
 * Auto-configuration for what web clients are told, in servlet applications.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = {WorkflowAutoConfiguration.class, IdempotencyAutoConfiguration.class, RunAutoConfiguration.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ProblemDetail.class, ResponseBodyAdvice.class})
public class WebAutoConfiguration {

    WebAutoConfiguration() {}

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
