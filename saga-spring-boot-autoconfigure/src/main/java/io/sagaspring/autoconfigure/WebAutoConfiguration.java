package io.sagaspring.autoconfigure;

import io.sagaspring.web.OutcomeAdvice;
import io.sagaspring.web.ProblemAdvice;
import io.sagaspring.workflow.Workflows;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ProblemDetail;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/** Auto-configuration for what web clients are told of steps, in servlet applications. */
@AutoConfiguration(after = WorkflowAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ProblemDetail.class, ResponseBodyAdvice.class})
@ConditionalOnBean(Workflows.class)
public class WebAutoConfiguration {

    WebAutoConfiguration() {}

    @Bean
    ProblemAdvice sagaProblemAdvice() {
        return new ProblemAdvice();
    }

    @Bean
    OutcomeAdvice sagaOutcomeAdvice() {
        return new OutcomeAdvice();
    }
}
