package io.sagaspring.autoconfigure;

import io.sagaspring.web.WebConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Import;
import org.springframework.http.ProblemDetail;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/**
 * Auto-configuration for the responses that web clients get in servlet applications, such as problem details.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = {WorkflowAutoConfiguration.class, IdempotencyAutoConfiguration.class, RunAutoConfiguration.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({ProblemDetail.class, ResponseBodyAdvice.class})
@Import(WebConfiguration.class)
public class WebAutoConfiguration {

    WebAutoConfiguration() {}
}
