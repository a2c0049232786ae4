package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.definition.Requester;
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
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Base of tests with an application that has an entity and a workflow for each {@link Mapping}. */
abstract class MappedShop {

    /** A requester whose steps have an after-effect. */
    static final Requester FOLLOWED = Requester.of("followed");

    static final AtomicInteger executions = new AtomicInteger();
    static volatile StepAction<Object> acting = (entity, context) -> ActionResult.success();
    static volatile AfterEffect<Object> following = (entity, context) -> {};

    static TestDatabase database;
    static Shop shop;

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        JdbcClient.create(database.dataSource()).sql("CREATE EXTENSION citext").update();
        shop = TimedVersions.counted(
                Shop.open(database, application -> application.sources(Mapped.class), properties()));
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void nothingInterferes() {
        executions.set(0);
        acting = (entity, context) -> ActionResult.success();
        following = (entity, context) -> {};
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
    }

    /** Opens another node over the same database. The caller closes it. */
    static Shop another(Consumer<SpringApplicationBuilder> change, String... settings) {
        List<String> properties = new ArrayList<>(List.of(properties()));
        // The tables exist already.
        properties.add("spring.jpa.hibernate.ddl-auto=none");
        properties.addAll(List.of(settings));
        return Shop.open(
                database,
                application -> change.accept(application.sources(Mapped.class)),
                properties.toArray(String[]::new));
    }

    static Claim granted(ClaimAttempt attempt) {
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    static int claimsOf(Mapping mapping, Object key) {
        return shop.database()
                .sql("SELECT count(*) FROM saga_claim WHERE entity = ? AND entity_id = ?")
                .params(mapping.table().name(), mapping.text(key))
                .query(Integer.class)
                .single();
    }

    /** Asserts that the row has this status, and the number of its changes since it was read. */
    static void assertRow(Mapping mapping, Object key, EntityRow before, String status, int changes) {
        assertThat(mapping.read(key)).isEqualTo(new EntityRow(status, before.version() + changes));
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = SupportedIds.class)
    @Import(MappedJanitor.class)
    static class Mapped {

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> {
                executions.incrementAndGet();
                return acting.run(entity, context);
            };
        }

        @Bean
        AfterEffect<Object> follow() {
            return (entity, context) -> following.run(entity, context);
        }
    }

    @ClaimJanitor(module = "mapped")
    static class MappedJanitor extends ScheduledClaimJanitor {}

    static String[] properties() {
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
            properties.add(path + "status-property=" + mapping.status());
            properties.add(path + "status-types=" + String.join(",", states));
            properties.add(path + "requesters=admin,system,followed");
            properties.add(path + "steps[0].step-id=1");
            properties.add(path + "steps[0].step-key=close");
            properties.add(path + "steps[0].status=" + states.get(0));
            properties.add(path + "steps[0].claim-state.admin=" + states.get(1) + "," + states.get(0));
            properties.add(path + "steps[0].claim-state.followed=" + states.get(1) + "," + states.get(0));
            properties.add(path + "steps[0].successful-state.any=" + states.get(2));
            properties.add(path + "steps[0].action.any=closeAnything");
            String followed = mapping == Mapping.CACHED ? "any" : "followed";
            properties.add(path + "steps[0].success-after-effect.%s=follow".formatted(followed));
        }
        return properties.toArray(String[]::new);
    }
}
