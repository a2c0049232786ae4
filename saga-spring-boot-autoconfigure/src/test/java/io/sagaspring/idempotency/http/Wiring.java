package io.sagaspring.idempotency.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The configuration of an application with users, for idempotent handlers. */
@Configuration(proxyBeanMethods = false)
class Wiring {

    static final int MAX_REQUEST = 100_000;
    static final int MAX_REPLY = 200_000;

    @Bean
    Around around() {
        return new Around();
    }

    /**
     * Takes the user from a header, reads a form if the test asks for this, and runs actions after the end of a
     * response.
     */
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
