package io.sagaspring.benchmarks;

import io.sagaspring.definition.Requester;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.Workflows;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Table;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * An application with one workflow. Every contender uses the application's connection pool. The library's settings have
 * their defaults.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(ClaimApplication.Umpire.class)
class ClaimApplication {

    static final String WORKFLOW = "rally";
    static final Requester PLAYER = Requester.of("player");

    @Entity
    @Table(name = HandWrittenHibernate.TABLE)
    static class HandWrittenBall extends Ball {}

    @Entity
    @Table(name = Ours.TABLE)
    static class OurBall extends Ball {}

    @ClaimJanitor(module = "court")
    static class Umpire extends ScheduledClaimJanitor {}

    @Bean
    StepAction<OurBall> hit() {
        return new Hit();
    }

    private static final class Hit implements StepAction<OurBall> {

        @Override
        public ActionResult run(OurBall ball, ActionContext context) {
            ball.hit();
            return ActionResult.success();
        }
    }

    static ConfigurableApplicationContext open(String url, int connections) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("spring.datasource.url", url);
        settings.put("spring.datasource.hikari.maximum-pool-size", connections);
        settings.put("spring.jpa.hibernate.ddl-auto", "none");
        settings.put("spring.main.banner-mode", "off");
        // Another benchmark needs Spring Modulith on the class path.
        settings.put("spring.autoconfigure.exclude", ModulithFlows.AUTO_CONFIGURATIONS);
        String workflow = "saga.workflows." + WORKFLOW + ".";
        settings.put(workflow + "module", "court");
        settings.put(workflow + "entity", OurBall.class.getName());
        settings.put(workflow + "status-types", "HOME,SERVING,AWAY,RETURNING");
        settings.put(workflow + "requesters", PLAYER.name());
        int number = 0;
        for (Ball.Stroke stroke : Ball.Stroke.values()) {
            String step = workflow + "steps[%d].".formatted(number++);
            settings.put(step + "step-id", number);
            settings.put(step + "step-key", stroke.step);
            settings.put(step + "status", stroke.from);
            settings.put(step + "claim-state.any", "%s,%s".formatted(stroke.claim, stroke.from));
            settings.put(step + "successful-state.any", stroke.into);
            settings.put(step + "action.any", "hit");
        }
        return new SpringApplicationBuilder(ClaimApplication.class)
                .web(WebApplicationType.NONE)
                .properties(settings)
                .run();
    }

    /** Creates all contenders, which share the application's connection pool. */
    static Map<ClaimBenchmark.Variant, Contender> contenders(ConfigurableApplicationContext context) {
        DataSource pool = context.getBean(DataSource.class);
        Map<ClaimBenchmark.Variant, Contender> contenders = new EnumMap<>(ClaimBenchmark.Variant.class);
        contenders.put(ClaimBenchmark.Variant.NAIVE_LIMIT, new NaiveLimit(pool));
        contenders.put(ClaimBenchmark.Variant.FAIR_LIMIT, new FairLimit(pool));
        contenders.put(
                ClaimBenchmark.Variant.HAND_WRITTEN,
                new HandWrittenHibernate(
                        context.getBean(EntityManager.class), context.getBean(PlatformTransactionManager.class)));
        contenders.put(ClaimBenchmark.Variant.SHEDLOCK, new UnderShedLock(pool));
        contenders.put(ClaimBenchmark.Variant.LOCK_REGISTRY, new UnderLockRegistry(pool));
        contenders.put(ClaimBenchmark.Variant.OURS, new Ours(context.getBean(Workflows.class)));
        return contenders;
    }
}
