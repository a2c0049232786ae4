package io.sagaspring.dashboard;

import io.sagaspring.autoconfigure.IdempotencyAutoConfiguration;
import io.sagaspring.autoconfigure.LeaseAutoConfiguration;
import io.sagaspring.autoconfigure.ListenerAutoConfiguration;
import io.sagaspring.autoconfigure.OperationsAutoConfiguration;
import io.sagaspring.autoconfigure.RunAutoConfiguration;
import io.sagaspring.autoconfigure.SagaAutoConfiguration;
import io.sagaspring.autoconfigure.ScheduleAutoConfiguration;
import io.sagaspring.autoconfigure.WorkflowAutoConfiguration;
import io.sagaspring.fence.OwnTransactions;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Auto-configuration of the dashboard. The dashboard exists only in web applications on Spring MVC, and only if {@code
 * saga.dashboard.access} is not {@code none}. It adds one handler mapping and changes nothing else of Spring MVC.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = {
            WorkflowAutoConfiguration.class,
            RunAutoConfiguration.class,
            SagaAutoConfiguration.class,
            ScheduleAutoConfiguration.class,
            ListenerAutoConfiguration.class,
            LeaseAutoConfiguration.class,
            IdempotencyAutoConfiguration.class,
            OperationsAutoConfiguration.class
        })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBean(OwnTransactions.class)
@Conditional(DashboardAutoConfiguration.OnAccess.class)
@EnableConfigurationProperties(DashboardProperties.class)
public class DashboardAutoConfiguration {

    private static final String BACKLOG = "io.sagaspring.dashboard.backlog";

    DashboardAutoConfiguration() {}

    @Bean(BACKLOG)
    BacklogHistory sagaDashboardBacklog(ListableBeanFactory beans, OwnTransactions own) {
        return new BacklogHistory(new DashboardSources(beans), new DatabaseClock(own)::now);
    }

    @Bean("io.sagaspring.dashboard.mapping")
    HandlerMapping sagaDashboardMapping(
            DashboardProperties properties,
            Environment environment,
            OwnTransactions own,
            ListableBeanFactory beans,
            @Qualifier(BACKLOG) BacklogHistory backlog,
            ObjectProvider<SagaAccess> access,
            ObjectProvider<PayloadView> views) {
        DashboardSettings settings = DashboardSettings.of(properties, environment);
        DashboardApi api = new DashboardApi(new DashboardSources(beans), own, settings, backlog);
        return new DashboardMapping(
                settings.path(), new DashboardHandler(settings, api, access::getIfAvailable), () -> {
                    SeveralRulesException.requireOne(access, SagaAccess.class);
                    SeveralRulesException.requireOne(views, PayloadView.class);
                });
    }

    /** Asks the users of Spring Security for their authorities. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    static class Authorities {

        @Bean("io.sagaspring.dashboard.access")
        @ConditionalOnMissingBean(SagaAccess.class)
        SagaAccess sagaDashboardAccess() {
            return new AuthorityAccess();
        }
    }

    static final class OnAccess extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            DashboardAccess access = Binder.get(context.getEnvironment())
                    .bind("saga.dashboard.access", DashboardAccess.class)
                    .orElse(DashboardAccess.NONE);
            return new ConditionOutcome(
                    access != DashboardAccess.NONE,
                    ConditionMessage.of("saga.dashboard.access is %s".formatted(access)));
        }
    }
}
