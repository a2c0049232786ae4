package io.sagaspring.idempotency.http;

import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.KeySettings;
import io.sagaspring.idempotency.KeyStore;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.web.KeyProblemAdvice;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/** Idempotent handlers, wired, and an application around them that knows users. */
@Configuration(proxyBeanMethods = false)
@Import(KeyProblemAdvice.class)
class Wiring {

    static final int MAX_REQUEST = 100_000;
    static final int MAX_REPLY = 200_000;

    @Bean
    KeyStore keyStore(SagaSchema schema, DataSource dataSource) {
        return new KeyStore(
                schema,
                "test",
                new OwnTransactions(dataSource),
                new KeySettings(
                        Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(10), Duration.ofSeconds(5)));
    }

    @Bean
    IdempotencyKeys idempotencyKeys(KeyStore store, Keeper keeper) {
        return new IdempotencyKeys(store, keeper);
    }

    @Bean
    IdempotentHandlerAdapter idempotentHandlerAdapter(
            IdempotencyKeys keys,
            RequestMappingHandlerAdapter application,
            ObjectProvider<RequestMappingInfoHandlerMapping> mappings,
            Environment environment) {
        return new IdempotentHandlerAdapter(
                keys,
                new RequestOwner(),
                application,
                mappings,
                environment,
                new HttpSettings(MAX_REQUEST, MAX_REPLY, HttpSettings.DEFAULT_HEADERS));
    }

    @Bean
    Around around() {
        return new Around();
    }

    /** Knows the user by a header, reads a form when asked to, and tells when a response is over. */
    static class Around extends OncePerRequestFilter {

        final Queue<Runnable> after = new ConcurrentLinkedQueue<>();

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            response.setHeader("X-Filter", "was here");
            if (request.getHeader("X-Read-Form") != null) {
                request.getParameter("any");
            }
            String user = request.getHeader("X-User");
            try {
                chain.doFilter(
                        new HttpServletRequestWrapper(request) {
                            @Override
                            public Principal getUserPrincipal() {
                                return user == null ? super.getUserPrincipal() : () -> user;
                            }
                        },
                        response);
            } finally {
                for (Runnable each = after.poll(); each != null; each = after.poll()) {
                    each.run();
                }
            }
        }
    }

    @Bean
    WebMvcConfigurer interceptors() {
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry registry) {
                registry.addInterceptor(new Doorkeeper());
            }
        };
    }

    static class Doorkeeper implements HandlerInterceptor {

        @Override
        public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
                throws IOException {
            if (request.getHeader("X-Banned") != null) {
                response.sendError(403);
                return false;
            }
            return true;
        }
    }
}
