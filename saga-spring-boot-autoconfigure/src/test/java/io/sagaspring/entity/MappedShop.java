package io.sagaspring.entity;

import io.sagaspring.entity.supported.MapCache;
import io.sagaspring.entity.supported.SupportedIds;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.StepAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application with an entity and a workflow for each {@link Mapping}. */
final class MappedShop {

    static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    static final AtomicInteger executions = new AtomicInteger();
    static volatile AfterEffect<Object> following = (entity, context) -> {};
    static final Shop shop =
            TimedVersions.counted(Shop.open(database, application -> application.sources(Mapped.class), properties()));

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = SupportedIds.class)
    @Import(MappedJanitor.class)
    static class Mapped {

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> {
                executions.incrementAndGet();
                return ActionResult.success();
            };
        }

        @Bean
        AfterEffect<Object> follow() {
            return (entity, context) -> following.run(entity, context);
        }
    }

    @ClaimJanitor(module = "mapped")
    static class MappedJanitor extends ScheduledClaimJanitor {}

    private static String[] properties() {
        List<String> properties = new ArrayList<>();
        properties.add("saga.due.first-delay=10ms");
        properties.add("saga.due.poll-interval=100ms");
        properties.add("spring.jpa.properties.hibernate.hbm2ddl.create_namespaces=true");
        properties.add("spring.jpa.properties.hibernate.cache.use_second_level_cache=true");
        properties.add("spring.jpa.properties.hibernate.cache.region.factory_class=" + MapCache.class.getName());
        for (Mapping mapping : Mapping.values()) {
            String path = "saga.workflows.%s.".formatted(mapping.workflow());
            List<String> states = mapping.states();
            properties.add(path + "module=mapped");
            properties.add(path + "entity=" + mapping.entity.getName());
            if (mapping == Mapping.TEXT) {
                properties.add(path + "status-property=phase");
            }
            properties.add(path + "status-types=" + String.join(",", states));
            properties.add(path + "requesters=admin,system");
            properties.add(path + "steps[0].step-id=1");
            properties.add(path + "steps[0].step-key=close");
            properties.add(path + "steps[0].status=" + states.get(0));
            properties.add(path + "steps[0].claim-state.admin=" + states.get(1) + "," + states.get(0));
            properties.add(path + "steps[0].successful-state.any=" + states.get(2));
            properties.add(path + "steps[0].action.any=closeAnything");
            if (mapping == Mapping.CACHED) {
                properties.add(path + "steps[0].success-after-effect.any=follow");
            }
        }
        return properties.toArray(String[]::new);
    }
}
