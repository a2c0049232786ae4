package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Operators list and release claims over HTTP, and owners that lost them are fenced off. */
class ClaimsEndpointTests extends OperatedShop {

    @Test
    void aClaimIsListed() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);

        JsonNode claims = http.get("/actuator/sagaclaims").json().path("claims");
        assertThat(claims).hasSize(1);
        JsonNode claim = claims.get(0);
        assertThat(claim.path("entity").asString()).isEqualTo("parcel");
        assertThat(claim.path("id").asString()).isEqualTo(Long.toString(parcel));
        assertThat(claim.path("workflow").asString()).isEqualTo("parcel");
        assertThat(claim.path("module").asString()).isEqualTo("shop");
        assertThat(claim.path("claimState").asString()).isEqualTo("SENDING");
        assertThat(claim.path("revertTo").asString()).isEqualTo("PACKED");
        assertThat(claim.path("requester").asString()).isEqualTo("admin");
        assertThat(claim.path("node").asString()).contains("@");
        assertThat(claim.path("claimedAt").asString()).matches("\\d{4}-.*Z");
        assertThat(claim.path("silentFor").asString()).startsWith("PT");
        assertThat(http.get("/actuator/sagaclaims").json().path("more").asBoolean())
                .isFalse();

        finish(owner);
        assertThat(http.get("/actuator/sagaclaims").json().path("claims")).isEmpty();
    }

    @Test
    void aTruncatedListSaysThatThereAreMoreClaims() throws Exception {
        shop.database().sql("""
                INSERT INTO saga_claim SELECT 'parcel', n::text, 'parcel', 'elsewhere', 'SENDING', 'PACKED', 'admin', 'n',
                    gen_random_uuid(), -n, clock_timestamp(), clock_timestamp() FROM generate_series(1, 3) AS n""").update();

        JsonNode answer = http.get("/actuator/sagaclaims?limit=2").json();

        assertThat(answer.path("claims")).hasSize(2);
        assertThat(answer.path("more").asBoolean()).isTrue();
        shop.database().sql("DELETE FROM saga_claim").update();
    }

    @Test
    void anOwnerWhoseClaimIsReleasedIsFencedOff() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);

        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("result").asString()).isEqualTo("RELEASED");
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.claims()).isZero();
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.id()).isEqualTo(Long.toString(parcel));
            assertThat(event.status()).isEqualTo("PACKED");
            assertThat(event.releasedBy()).isEqualTo("an operator");
        });
        assertThat(shop.bean(Shop.ShopJanitor.class).recovered).contains(events.get(0));
        assertThat(finish(owner)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.note(parcel)).isEmpty();
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void anOwnerWhoseClaimWasReleasedDoesNotOverwriteTheNextOwner() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);
        http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);
        shop.script().action = (entity, context) -> {
            entity.note("by the next");
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(finish(owner)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.note(parcel)).isEqualTo("by the next");
        assertThat(shop.status(parcel)).isEqualTo("SENT");
    }

    @Test
    void aClaimWhoseOwnerHasAlreadyWrittenTheEntityIsNotReleased() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(true);

        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("result").asString()).isEqualTo("BLOCKED");
        assertThat(finish(owner)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(events).isEmpty();
    }

    @Test
    void aReleaseWithAnotherTokenIsRefused() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);
        long token = http.get("/actuator/sagaclaims")
                .json()
                .path("claims")
                .get(0)
                .path("token")
                .asLong();
        String path = "/actuator/sagaclaims?entity=parcel&id=%d&token=%d";

        assertThat(http.send("DELETE", path.formatted(parcel, token - 1)).status())
                .isEqualTo(409);
        assertThat(shop.claims()).isOne();
        assertThat(http.send("DELETE", path.formatted(parcel, token)).status()).isEqualTo(200);
        assertThat(finish(owner)).isEqualTo(new TransitionOutcome.ClaimLost());
    }

    @Test
    void theReleaseOfAnUnclaimedEntityIsNotFound() throws Exception {
        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.json().path("message").asString()).isEqualTo("parcel %d is not claimed.".formatted(parcel));
        assertThat(http.send("DELETE", "/actuator/sagaclaims?entity=nothing&id=1")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void aReleaseMustNameTheEntity() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);

        assertThat(http.send("DELETE", "/actuator/sagaclaims").status()).isEqualTo(400);
        assertThat(http.send("DELETE", "/actuator/sagaclaims?entity=parcel").status())
                .isEqualTo(400);
        assertThat(finish(owner)).isInstanceOf(TransitionOutcome.Completed.class);
    }

    /**
     * The module that declares the claim state today can release the claim, and the sweep of this module can revert the
     * claim.
     */
    @Test
    void aClaimUnderAFormerModuleNameCanBeReleased() throws Exception {
        CompletableFuture<TransitionOutcome> owner = claim(false);
        shop.database().sql("UPDATE saga_claim SET module = 'formerly'").update();

        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=parcel&id=" + parcel);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(finish(owner)).isEqualTo(new TransitionOutcome.ClaimLost());
    }

    @Test
    void aClaimOfAnotherApplicationIsNotReleased() throws Exception {
        shop.database().sql("""
                INSERT INTO saga_claim VALUES ('other', '7', 'other', 'other', 'DOING', 'OPEN', 'admin', 'far away',
                    gen_random_uuid(), -1, clock_timestamp(), clock_timestamp())""").update();

        Http.Answer answer = http.send("DELETE", "/actuator/sagaclaims?entity=other&id=7");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("message").asString()).contains("far away");
        shop.database().sql("DELETE FROM saga_claim").update();
    }
}
