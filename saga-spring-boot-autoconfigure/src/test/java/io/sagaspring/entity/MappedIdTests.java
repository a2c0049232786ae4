package io.sagaspring.entity;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.definition.Requester;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.AfterEffectContext;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionRequest;
import io.sagaspring.workflow.Workflows;
import jakarta.persistence.EntityManager;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriUtils;
import tools.jackson.databind.JsonNode;

/**
 * The string form of an id identifies the entity of every supported mapping: in a call, in a request of a web client,
 * in the ledger, in an after-effect and under an effect key.
 */
class MappedIdTests extends MappedShop {

    /** Another node, which serves requests. */
    static Shop web;

    static Http http;

    @BeforeAll
    static void openAnother() {
        web = another(
                application -> application.web(WebApplicationType.SERVLET).sources(Closing.class), Http.ON_ANY_PORT);
        http = new Http(web);
    }

    @AfterAll
    static void closeAnother() {
        web.close();
    }

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

    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.SPELLING)
    void aStepTakesTheTextOfAnId(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);

        assertThat(mapping.close(mapping.text(key), Shop.SYSTEM)).isInstanceOf(TransitionOutcome.Completed.class);
        assertRow(mapping, key, before, mapping.states().get(2), 1);
    }

    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.PROBLEM)
    void aWebClientSeesTheStatusWithEachRefusal(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);
        Claim claim = granted(mapping.claim(key));

        refused(mapping, key, "ClaimFailed", mapping.states().get(1));
        assertThat(shop.bean(ClaimService.class)
                        .complete(claim, mapping.states().get(0)))
                .isNotNull();

        JsonNode completed = closed(mapping, mapping.text(key)).json();
        assertThat(completed.path("outcome").asString()).isEqualTo("Completed");
        assertThat(completed.path("status").asString())
                .isEqualTo(mapping.states().get(2));
        assertRow(mapping, key, before, mapping.states().get(2), 4);
        refused(mapping, key, "NotApplicable", mapping.states().get(2));
    }

    private static void refused(Mapping mapping, Object key, String outcome, String status) {
        Http.Answer answer = closed(mapping, mapping.text(key));
        answer.assertProblem(409, outcome);
        assertThat(answer.json().path("currentStatus").asString()).isEqualTo(status);
    }

    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.PROBLEM)
    void aTextThatIsNoIdIsNotFound(Mapping mapping) {
        closed(mapping, "no such id").assertProblem(404, "UnknownEntity");
    }

    private static Http.Answer closed(Mapping mapping, String id) {
        return http.send(
                "POST",
                "/%s/%s/close".formatted(mapping.workflow(), UriUtils.encodePathSegment(id, StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.SPELLING)
    void anOperatorFindsAndReleasesAClaimByTheTextOfItsId(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);
        Claim claim = granted(mapping.claim(key));
        assertThat(claim.key()).isEqualTo(mapping.text(key));
        assertThat(claimsOf(mapping, key)).isOne();

        ClaimRecovery recoveries = web.bean(ClaimRecovery.class);
        assertThat(recoveries.release(recoveries
                        .find(mapping.table().name(), mapping.text(key))
                        .orElseThrow()))
                .isEqualTo(ClaimRecovery.Recovered.FREED);
        assertRow(mapping, key, before, mapping.states().get(0), 2);
    }

    /** One delivery of an after-effect, with the entity that it got. */
    private record Delivery(AfterEffectContext context, EntityRow row) {}

    /**
     * The first delivery changes the entity and fails. The second delivery gets the changed entity and the same key.
     */
    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.AFTER_EFFECT)
    void eachDeliveryGetsTheCurrentEntityAndTheSameKey(Mapping mapping) throws Exception {
        Object key = mapping.save();
        Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
        CompletableFuture<EntityRow> delivered = new CompletableFuture<>();
        following = (entity, context) -> {
            EntityRow row = mapping.row(shop.bean(EntityManager.class), key, entity);
            deliveries.add(new Delivery(context, row));
            if (context.attempt() == 1) {
                mapping.writeStatus(key, mapping.states().get(0));
                throw new IllegalStateException("offline");
            }
            delivered.complete(row);
        };

        assertThat(mapping.close(key, FOLLOWED)).isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(delivered.get(20, SECONDS)).isEqualTo(current(mapping, key));
        assertThat(deliveries)
                .extracting(delivery -> delivery.row().status())
                .containsExactly(mapping.states().get(2), mapping.states().get(0));
        assertThat(deliveries)
                .extracting(delivery -> delivery.context().key())
                .containsOnly(deliveries.element().context().key())
                .first()
                .asString()
                // In a column of fixed width, the row's id is padded with blanks.
                .startsWith("%s:%s:close:"
                        .formatted(
                                mapping.workflow(), mapping.text(mapping.table().rowId(key))));
    }

    private static EntityRow current(Mapping mapping, Object key) {
        return shop.inTransaction(entities -> mapping.row(entities, key, entities.find(mapping.entity, key)));
    }

    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.SPELLING)
    void aRepeatedCallUnderAnEffectKeyRunsNothing(Mapping mapping) {
        for (Requester requester : List.of(Shop.ADMIN, Shop.SYSTEM)) {
            Object key = mapping.save();
            String effect = "%s-%s-%s".formatted(mapping, requester.name(), key);
            executions.set(0);

            for (Object id : List.of(key, mapping.text(key), key)) {
                TransitionRequest request = TransitionRequest.of(mapping.workflow(), id, "close", requester)
                        .effectKey(effect);
                assertThat(shop.workflows().run(request)).isInstanceOf(TransitionOutcome.Completed.class);
            }
            assertThat(executions).hasValue(1);
        }
    }
}
