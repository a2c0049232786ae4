package io.sagaspring.workflow;

import static io.sagaspring.shop.Shop.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.due.DueItem;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.saga.StepError;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Ids, names and messages that a client may have chosen can begin neither a new line of the log nor an escape sequence.
 */
@ExtendWith(OutputCaptureExtension.class)
class ForeignTextTests {

    private static final String FORGED = "7\n2026-11-23 INFO admin logged in\u001b[31m";
    private static final String ONE_LINE = "7\\n2026-11-23 INFO admin logged in\\u001b[31m";

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database);

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    static Stream<Object> texts() {
        ClaimState state = new ClaimState("parcel", "shop", Parcel.class, "status", "SENDING", "PACKED");
        return Stream.of(
                new Claim(state, "parcel", FORGED, FORGED, new FencingToken(1), 1, "admin", null),
                TransitionRequest.of("parcel", FORGED, "send", ADMIN),
                TransitionRequest.of(FORGED, 7, "send", ADMIN),
                TransitionRequest.of("parcel", 7, FORGED, ADMIN),
                new DueItem(1, "queue", FORGED, "payload", 1, null),
                new StepError(FORGED, "message"),
                new StepError("declined", FORGED),
                new TransitionRefusedException(new TransitionOutcome.Failed(FORGED)),
                new TransitionRefusedException(new TransitionOutcome.Rejected(List.of(FORGED))));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void aLoggedObjectIsShownInOneLine(Object logged) {
        assertThat(logged.toString()).contains(ONE_LINE).doesNotContain("\n", "\u001b");
    }

    static Stream<Runnable> refusals() {
        return Stream.of(
                () -> shop.workflows().run(FORGED, 7, "send", ADMIN),
                () -> shop.workflows().run("parcel", 7, FORGED, ADMIN),
                () -> shop.workflows().run("parcel", FORGED, "send", ADMIN),
                () -> LeaseName.of(FORGED + "/"),
                () -> new LeaseName(FORGED + "x".repeat(10_000)));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void theMessageAboutARefusedValueIsOneLine(Runnable call) {
        assertThatException()
                .isThrownBy(call::run)
                .satisfies(refused ->
                        assertThat(refused.getMessage()).contains("7\\n2026").doesNotContain("\n", "\u001b"));
    }

    @Test
    void aSweepLogsTheRequesterOfAClaimInOneLine(CapturedOutput output) {
        ClaimState state = shop.bean(DeclaredClaimStates.class).all().iterator().next();
        assertThat(shop.bean(ClaimService.class).tryClaim(state, shop.pack(), FORGED))
                .isInstanceOf(ClaimAttempt.Granted.class);
        shop.silence(Duration.ofHours(1));

        shop.sweep();

        assertThat(output).contains("by " + ONE_LINE + " on node").doesNotContain("\n2026-11-23 INFO", "\u001b");
    }

    @Test
    @ExpectsErrors("could not free claims (number: 1) for the reason below")
    void aSweepLogsAClaimThatItCouldNotFreeInOneLine(CapturedOutput output) {
        ClaimState state = shop.bean(DeclaredClaimStates.class).all().iterator().next();
        assertThat(shop.bean(ClaimService.class).tryClaim(state, shop.pack(), "admin"))
                .isInstanceOf(ClaimAttempt.Granted.class);
        shop.database().sql("UPDATE saga_claim SET entity_id = ?").param(FORGED).update();
        shop.silence(Duration.ofHours(1));

        shop.sweep();

        shop.database().sql("DELETE FROM saga_claim").update();
        assertThat(output)
                .contains("(number: 1) for the reason below, for example parcel " + ONE_LINE + " in SENDING")
                .contains("'" + ONE_LINE + "' is not an id of Parcel")
                .doesNotContain("\n2026-11-23 INFO", "\u001b");
    }
}
