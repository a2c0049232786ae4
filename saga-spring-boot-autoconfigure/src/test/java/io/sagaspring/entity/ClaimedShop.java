package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.definition.Requester;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.AfterEffectById;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.StepActionById;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Base of tests with an application that has an entity and a workflow of each kind. */
abstract class ClaimedShop {

    /** A requester whose steps have an after-effect. */
    static final Requester FOLLOWED = Requester.of("followed");

    static final AtomicInteger executions = new AtomicInteger();
    static volatile StepAction<Object> acting = (entity, context) -> ActionResult.success();
    static volatile AfterEffect<Object> following = (entity, context) -> {};

    @SuppressWarnings("NullAway.Init") // Set before all tests.
    static TestDatabase database;

    @SuppressWarnings("NullAway.Init") // Set before all tests.
    static Shop shop;

    /** Another node over the same database, if the tests need one. */
    @SuppressWarnings("NullAway.Init") // Set before all tests.
    static Shop other;

    /** Sends web requests to the other node. */
    @SuppressWarnings("NullAway.Init") // Set before all tests.
    static Http http;

    /** Marks tests whose actions and after-effects get only the id of the entity. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface ById {}

    static boolean isById(TestInfo tests) {
        return tests.getTestClass().orElseThrow().isAnnotationPresent(ById.class);
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

    static Claim granted(ClaimAttempt attempt) {
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    static int claimsOf(Claimed kind, Object key) {
        return shop.database()
                .sql("SELECT count(*) FROM saga_claim WHERE entity = ? AND entity_id = ?")
                .params(kind.table().name(), kind.text(key))
                .query(Integer.class)
                .single();
    }

    /** Asserts that the row has the status, and that it was changed the given number of times since it was read. */
    static void assertRow(Claimed kind, Object key, EntityRow before, String status, int changes) {
        assertThat(kind.read(key)).isEqualTo(new EntityRow(status, before.version() + changes));
    }

    /** The beans of the steps, by entity and by id. */
    @Configuration(proxyBeanMethods = false)
    @Import(MappedJanitor.class)
    static class Beans {

        @Bean
        StepAction<Object> closeAnything() {
            return Beans::act;
        }

        @Bean
        StepActionById<Object> closeById() {
            return Beans::act;
        }

        private static ActionResult act(Object subject, ActionContext context) throws Exception {
            executions.incrementAndGet();
            return acting.run(subject, context);
        }

        @Bean
        AfterEffect<Object> follow() {
            return (entity, context) -> following.run(entity, context);
        }

        @Bean
        AfterEffectById<Object> followById() {
            return (id, context) -> following.run(id, context);
        }

        static List<String> settings(Claimed kind, Class<?> entity, boolean byId) {
            return Claimed.settings(kind, entity, byId ? "closeById" : "closeAnything", byId ? "followById" : "follow");
        }
    }

    @ClaimJanitor(module = "mapped")
    static class MappedJanitor extends ScheduledClaimJanitor {}

    @RestController
    static class Closing {

        private final Workflows workflows;

        Closing(Workflows workflows) {
            this.workflows = workflows;
        }

        @PostMapping("/{workflow}/{id}/close")
        TransitionOutcome close(@PathVariable String workflow, @PathVariable String id) {
            return workflows.run(workflow, id, "close", Shop.ADMIN);
        }
    }
}
