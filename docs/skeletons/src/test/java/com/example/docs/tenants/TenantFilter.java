package com.example.docs.tenants;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.concurrent.Callable;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

@Component
class TenantFilter extends OncePerRequestFilter {
    private final CurrentTenant tenants;

    TenantFilter(CurrentTenant tenants) {
        this.tenants = tenants;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Principal user = request.getUserPrincipal();
        String tenant = user == null ? null : tenantOf(user);
        Callable<Boolean> rest = () -> {
            chain.doFilter(request, response);
            return true;
        };
        try {
            boolean unused = tenants.call(tenant, rest);
        } catch (ServletException | IOException | RuntimeException thrown) {
            throw thrown;
        } catch (Exception other) {
            throw new ServletException(other);
        }
    }

    private static String tenantOf(Principal user) {
        return user.getName().substring(user.getName().indexOf('@') + 1);
    }
}
