package io.sagaspring.sample.payouts;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Starts payouts, and reads their states and effects. */
public final class PayoutCalls {

    private final Api api;

    public PayoutCalls(Api api) {
        this.api = api;
    }

    public Answer start(String tenant, String reference, String simulate) {
        return api.post("/api/payouts", """
                {"tenant":"%s","reference":"%s","amountCents":500,"priority":0,"simulate":{%s}}""".formatted(tenant, reference, simulate));
    }

    /** Starts a payout that must be new, and returns its address. */
    public String started(String tenant, String reference, String simulate) {
        Answer started = start(tenant, reference, simulate);
        assertThat(started.status()).as(started::raw).isEqualTo(202);
        return started.location();
    }

    public void awaitState(String payout, String state) {
        await().atMost(90, SECONDS).until(() -> api.get(payout).text("state").equals(state));
    }

    /** Returns the kinds and the references of the effects of payouts, oldest first. */
    public List<String> effects(String referencePrefix) {
        return api.get("/api/effects")
                .body()
                .valueStream()
                .filter(effect -> effect.path("ref").asString().startsWith(referencePrefix))
                .map(effect -> "%s %s"
                        .formatted(
                                effect.path("kind").asString(),
                                effect.path("ref").asString()))
                .toList();
    }

    /** Returns the largest number of payouts that had begun and not ended at one moment. */
    public int mostAtOnce(String referencePrefix) {
        Set<String> open = new LinkedHashSet<>();
        int most = 0;
        for (String effect : effects(referencePrefix)) {
            String reference = effect.substring(effect.indexOf(' ') + 1);
            boolean unused = effect.startsWith("payout_begin ") ? open.add(reference) : open.remove(reference);
            most = Math.max(most, open.size());
        }
        return most;
    }
}
