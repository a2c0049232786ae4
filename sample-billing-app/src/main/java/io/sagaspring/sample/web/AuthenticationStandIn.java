package io.sagaspring.sample.web;

import io.sagaspring.definition.Requester;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Replaces authentication, which this sample does not have: the client names its requester in the header {@code
 * X-Requester}. Do not copy this class. Your application must derive the requester from the authenticated user, as
 * docs/claims.md shows. Otherwise any client could run any step.
 */
@Configuration(proxyBeanMethods = false)
class AuthenticationStandIn implements WebMvcConfigurer, HandlerMethodArgumentResolver {

    private static final String HEADER = "X-Requester";

    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(this);
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.getParameterType() == Requester.class;
    }

    @Override
    public Requester resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders) {
        String claimed = request.getHeader(HEADER);
        try {
            return Requester.of(claimed == null || claimed.isEmpty() ? "admin" : claimed);
        } catch (IllegalArgumentException noName) {
            throw new MethodArgumentTypeMismatchException(claimed, Requester.class, HEADER, parameter, noName);
        }
    }
}
