package io.sagaspring.sample.web;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/** Adds the members that clients rely on to every problem detail, no matter which component created it. */
@ControllerAdvice
class CompleteProblems implements ResponseBodyAdvice<Object> {

    static final String NO_DETAIL = "The request failed. This response does not show the cause.";

    @Override
    public boolean supports(MethodParameter returned, Class<? extends HttpMessageConverter<?>> converter) {
        return true;
    }

    @Override
    public @Nullable Object beforeBodyWrite(
            @Nullable Object body,
            MethodParameter returned,
            MediaType type,
            Class<? extends HttpMessageConverter<?>> converter,
            ServerHttpRequest request,
            ServerHttpResponse response) {
        if (body instanceof ProblemDetail problem) {
            if (problem.getType() == null) {
                problem.setType(URI.create("about:blank"));
            }
            if (problem.getDetail() == null) {
                problem.setDetail(NO_DETAIL);
            }
        }
        return body;
    }
}
