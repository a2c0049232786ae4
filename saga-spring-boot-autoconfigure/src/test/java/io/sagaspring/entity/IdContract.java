package io.sagaspring.entity;

import static io.sagaspring.entity.ClaimedShop.assertRow;
import static io.sagaspring.entity.ClaimedShop.claimsOf;
import static io.sagaspring.entity.ClaimedShop.executions;
import static io.sagaspring.entity.ClaimedShop.granted;
import static io.sagaspring.entity.ClaimedShop.shop;
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
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.web.util.UriUtils;
import tools.jackson.databind.JsonNode;

/**
 * The contract of each kind of entity for ids. The text of an id identifies the entity in a call, in a web request, in
 * the ledger, in an after-effect and under an effect key.
 */
interface IdContract {

    @Clause.Shown(Clause.SPELLING)
    @ParameterizedTest
    @MethodSource("kinds")
    default void aStepAcceptsTheTextOfAnId(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);

        assertThat(kind.close(kind.text(key), Shop.SYSTEM)).isInstanceOf(TransitionOutcome.Completed.class);
        assertRow(kind, key, before, kind.states().get(2), 1);
    }

    @Clause.Shown(Clause.PROBLEM)
    @ParameterizedTest
    @MethodSource("kinds")
    default void aRefusedWebClientGetsTheStatusOfTheEntity(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        Claim claim = granted(kind.claim(key));

        refused(kind, key, "ClaimFailed", kind.states().get(1));
        assertThat(shop.bean(ClaimService.class).complete(claim, kind.states().get(0)))
                .isNotNull();

        JsonNode completed = closed(kind, kind.text(key)).json();
        assertThat(completed.path("outcome").asString()).isEqualTo("Completed");
        assertThat(completed.path("status").asString()).isEqualTo(kind.states().get(2));
        assertRow(kind, key, before, kind.states().get(2), 4);
        refused(kind, key, "NotApplicable", kind.states().get(2));
    }

    private static void refused(Claimed kind, Object key, String outcome, String status) {
        Http.Answer answer = closed(kind, kind.text(key));
        answer.assertProblem(409, outcome);
        assertThat(answer.json().path("currentStatus").asString()).isEqualTo(status);
    }

    @Clause.Shown(Clause.PROBLEM)
    @ParameterizedTest
    @MethodSource("kinds")
    default void aTextThatIsNotAnIdIsNotFound(Claimed kind) {
        closed(kind, "no such id").assertProblem(404, "UnknownEntity");
    }

    private static Http.Answer closed(Claimed kind, String id) {
        return ClaimedShop.http.send(
                "POST",
                "/%s/%s/close".formatted(kind.workflow(), UriUtils.encodePathSegment(id, StandardCharsets.UTF_8)));
    }

    @Clause.Shown(Clause.SPELLING)
    @ParameterizedTest
    @MethodSource("kinds")
    default void anOperatorFindsAndReleasesAClaimByTheTextOfTheId(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        Claim claim = granted(kind.claim(key));
        assertThat(claim.key()).isEqualTo(kind.text(key));
        assertThat(claimsOf(kind, key)).isOne();

        ClaimRecovery recoveries = ClaimedShop.other.bean(ClaimRecovery.class);
        assertThat(recoveries.release(
                        recoveries.find(kind.table().name(), kind.text(key)).orElseThrow()))
                .isEqualTo(ClaimRecovery.Recovered.FREED);
        assertRow(kind, key, before, kind.states().get(0), 2);
    }

    /** One delivery of an after-effect, with the entity that it got. */
    record Delivery(AfterEffectContext context, EntityRow row) {}

    /**
     * The first delivery changes the entity and fails. The second delivery gets the changed entity under the same key.
     */
    @Clause.Shown(Clause.AFTER_EFFECT)
    @ParameterizedTest
    @MethodSource("kinds")
    default void aRepeatedAfterEffectGetsTheCurrentEntityUnderTheSameKey(Claimed kind) throws Exception {
        Object key = kind.save();
        Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
        CompletableFuture<EntityRow> delivered = new CompletableFuture<>();
        ClaimedShop.following = (entity, context) -> {
            EntityRow row = kind.row(key, entity);
            deliveries.add(new Delivery(context, row));
            if (context.attempt() == 1) {
                kind.writeStatus(key, kind.states().get(0));
                throw new IllegalStateException("offline");
            }
            delivered.complete(row);
        };

        assertThat(kind.close(key, ClaimedShop.FOLLOWED)).isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(delivered.get(20, SECONDS)).isEqualTo(kind.row(key, key));
        assertThat(deliveries)
                .extracting(delivery -> delivery.row().status())
                .containsExactly(kind.states().get(2), kind.states().get(0));
        assertThat(deliveries)
                .extracting(delivery -> delivery.context().key())
                .containsOnly(deliveries.element().context().key())
                .first()
                .asString()
                // A row whose id has a fixed width spells the id with blanks.
                .startsWith("%s:%s:close:"
                        .formatted(kind.workflow(), kind.text(kind.table().rowId(key))));
    }

    @Clause.Shown(Clause.SPELLING)
    @ParameterizedTest
    @MethodSource("kinds")
    default void aRepeatedCallUnderAnEffectKeyRunsNothing(Claimed kind) {
        for (Requester requester : List.of(Shop.ADMIN, Shop.SYSTEM)) {
            Object key = kind.save();
            String effect = "%s-%s-%s".formatted(kind, requester.name(), key);
            executions.set(0);

            for (Object id : List.of(key, kind.text(key), key)) {
                TransitionRequest request = TransitionRequest.of(kind.workflow(), id, "close", requester)
                        .effectKey(effect);
                assertThat(shop.workflows().run(request)).isInstanceOf(TransitionOutcome.Completed.class);
            }
            assertThat(executions).hasValue(1);
        }
    }
}
