package io.sagaspring.web;

import io.sagaspring.workflow.TransitionOutcome;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/**
 * Writes the response of a controller that returns a {@link TransitionOutcome}. A success becomes
 * <code>{"outcome": "Completed", "status": …, "result": …}</code>, with the HTTP status that the controller has set.
 * Every other outcome becomes a problem detail, and the response gets the HTTP status of that problem detail.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class OutcomeAdvice implements ResponseBodyAdvice<Object> {

    /**
     * The response body for a completed step.
     *
     * @param outcome the name of the outcome, always {@code Completed}
     * @param status the new status of the entity
     * @param result the result of the action, or null
     */
    record Success(String outcome, String status, @Nullable Object result) {}

    /**
     * Accepts every method, because only the response body shows whether there is an outcome. The declared return type
     * can be a {@code ResponseEntity}, a future or a type of the application.
     */
    @Override
    public boolean supports(MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converterType) {
        return true;
    }

    @Override
    public @Nullable Object beforeBodyWrite(
            @Nullable Object body,
            MethodParameter returnType,
            MediaType selectedContentType,
            Class<? extends HttpMessageConverter<?>> selectedConverterType,
            ServerHttpRequest request,
            ServerHttpResponse response) {
        if (body instanceof TransitionOutcome.Completed completed) {
            return new Success(completed.name(), completed.status(), completed.result());
        }
        if (!(body instanceof TransitionOutcome refusal)) {
            return body;
        }
        ProblemDetail problem = Problems.of(refusal);
        // Spring sets the instance of a problem and the HTTP status only if the controller itself returns or throws the
        // problem.
        problem.setInstance(URI.create(request.getURI().getRawPath()));
        response.setStatusCode(HttpStatusCode.valueOf(problem.getStatus()));
        response.getHeaders().setContentType(problemTypeOf(selectedContentType));
        return problem;
    }

    private static MediaType problemTypeOf(MediaType selected) {
        return selected.isPresentIn(List.of(MediaType.APPLICATION_XML, MediaType.TEXT_XML))
                ? MediaType.APPLICATION_PROBLEM_XML
                : MediaType.APPLICATION_PROBLEM_JSON;
    }
}
