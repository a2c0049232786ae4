package io.sagaspring.sample.simulation;

import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("sample.simulate")
class SimulationConfiguration implements WebMvcConfigurer {

    private static final String HEADER = "X-Simulate";

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new HandlerInterceptor() {
            @Override
            public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
                String header = request.getHeader(HEADER);
                if (header != null) {
                    request.setAttribute(HEADER, read(header));
                }
                return true;
            }
        });
    }

    private static Simulation read(String header) {
        try {
            return Simulation.parse(header);
        } catch (IllegalArgumentException malformed) {
            ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, malformed.getMessage());
            throw new ErrorResponseException(HttpStatus.BAD_REQUEST, problem, malformed);
        }
    }

    /** Adds the simulated trouble after the action's own code, in the same transaction. */
    @Bean
    static BeanPostProcessor simulatedTrouble() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof StepAction<?> action ? troubled(action) : bean;
            }
        };
    }

    @Bean
    static BeanPostProcessor simulatedTroubleInServices() {
        return new TroubledServices();
    }

    private static <E> StepAction<E> troubled(StepAction<E> action) {
        return (entity, context) -> {
            ActionResult result = action.run(entity, context);
            return result instanceof ActionResult.Success ? requested().after(result) : result;
        };
    }

    /** Returns the simulation that the current request asks for. */
    static Simulation requested() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return request != null
                        && request.getAttribute(HEADER, RequestAttributes.SCOPE_REQUEST)
                                instanceof Simulation simulation
                ? simulation
                : Simulation.NONE;
    }
}
