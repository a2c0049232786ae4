package io.sagaspring.tenant;

import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.shop.Interference;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.AfterEffectContext;
import io.sagaspring.workflow.StepAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.hibernate.cfg.MultiTenancySettings;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The parts of an application with tenants that do not depend on the location of the tenants' tables. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(TenantApplication.Janitor.class)
class TenantApplication {

    static volatile StepAction<Job> acting = TenantApplication::succeed;
    static volatile AfterEffect<Job> following = TenantApplication::ignore;

    /**
     * Resets the code of the steps and after-effects, because the code of a test may use an application that is closed.
     */
    static void resetCode() {
        acting = TenantApplication::succeed;
        following = TenantApplication::ignore;
    }

    private static ActionResult succeed(Job job, ActionContext context) {
        return ActionResult.success();
    }

    private static void ignore(Job job, AfterEffectContext context) {}

    @Bean
    static Interference interference() {
        return new Interference();
    }

    @Bean
    ThreadTenants tenantContext() {
        return new ThreadTenants("a", "b");
    }

    /** Hibernate also finds this bean without the customizer below. */
    @Bean
    @ConditionalOnBooleanProperty(name = "test.resolver", matchIfMissing = true)
    static CurrentTenantIdentifierResolver<String> tenantResolver() {
        return new Resolver();
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "test.resolver", matchIfMissing = true)
    static HibernatePropertiesCustomizer resolvesTenants(CurrentTenantIdentifierResolver<String> resolver) {
        return settings -> settings.put(MultiTenancySettings.MULTI_TENANT_IDENTIFIER_RESOLVER, resolver);
    }

    @Bean
    StepAction<Job> closeJob() {
        return (job, context) -> acting.run(job, context);
    }

    @Bean
    AfterEffect<Job> follow() {
        return (job, context) -> following.run(job, context);
    }

    @ClaimJanitor(module = "jobs")
    static class Janitor extends ScheduledClaimJanitor {

        /** The tenants of the freed claims, each with the tenant of the thread that reported the claim. */
        final List<String> recovered = new CopyOnWriteArrayList<>();

        private final ThreadTenants tenants;

        Janitor(ThreadTenants tenants) {
            this.tenants = tenants;
        }

        @Override
        protected void recovered(ClaimRecovered claim) {
            recovered.add("%s in %s".formatted(claim.tenant(), tenants.current()));
        }
    }

    /** Returns the tenant of the thread, or {@code -} if the thread has no tenant. */
    static final class Resolver implements CurrentTenantIdentifierResolver<String> {

        /** The tenant that the resolver returns by mistake, or an empty string if it makes no mistake. */
        static volatile String mistake = "";

        private final ThreadTenants tenants = new ThreadTenants();

        @Override
        public String resolveCurrentTenantIdentifier() {
            return mistake.isEmpty() ? Objects.requireNonNullElse(tenants.current(), "-") : mistake;
        }

        @Override
        public boolean validateExistingCurrentSessions() {
            return false;
        }
    }

    static String[] settings(Class<?>... jobs) {
        List<String> settings = new ArrayList<>(List.of(
                "spring.jpa.hibernate.ddl-auto=none",
                "spring.flyway.enabled=false",
                "spring.liquibase.enabled=false",
                "spring.main.banner-mode=off",
                "spring.jpa.open-in-view=false",
                "saga.janitor.interval=1h",
                "saga.due.first-delay=10ms",
                "saga.due.max-attempts=3",
                "saga.due.poll-interval=100ms"));
        for (Class<?> job : jobs) {
            String path = "saga.workflows.%s.".formatted(workflow(job));
            settings.add(path + "module=jobs");
            settings.add(path + "entity=" + job.getName());
            settings.add(path + "requesters=admin,system");
            settings.addAll(step(path + "steps[0].", "close"));
            settings.add(path + "steps[0].success-after-effect.any=follow");
            settings.addAll(step(path + "steps[1].", "remove"));
        }
        return settings.toArray(String[]::new);
    }

    private static List<String> step(String path, String key) {
        return List.of(
                path + "step-key=" + key,
                path + "status=OPEN",
                path + "claim-state.admin=CLOSING,OPEN",
                path + "successful-state.any=CLOSED",
                path + "action.any=closeJob");
    }

    static String workflow(Class<?> job) {
        return job.getSimpleName().toLowerCase(Locale.ROOT);
    }
}
