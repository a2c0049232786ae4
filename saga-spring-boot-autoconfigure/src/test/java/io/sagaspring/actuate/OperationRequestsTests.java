package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.KeyCheck;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.operations.AuditLog;
import io.sagaspring.operations.AuditQuery;
import io.sagaspring.operations.OperationPerformed;
import io.sagaspring.operations.OperationPerformed.Outcome;
import io.sagaspring.operations.Operator;
import io.sagaspring.pause.Pause.Kind;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.Sagas;
import io.sagaspring.saga.StepState;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A person signals, calls back, pauses, frees and changes many runs with requests. Each operation is audited. */
class OperationRequestsTests extends RequestedOperations {

    private static final String UNKNOWN_KEY = "0".repeat(64);

    private static RunId parcel() {
        RunId id = shop.bean(Sagas.class).start(Parcel.class, "books").id();
        await().atMost(SOON)
                .until(() -> shop.bean(Sagas.class)
                        .find(id)
                        .flatMap(saga -> saga.step("ship"))
                        .filter(step -> step.state() == StepState.WAITING)
                        .isPresent());
        return id;
    }

    private static Http.Answer decide(RunId run, String decision, String body) throws Exception {
        return ada.post("%s/%s/%s".formatted(RUNS, run, decision), body);
    }

    private static void assertAudited(String operation, Outcome outcome, @Nullable String reason) {
        OperationPerformed latest =
                shop.bean(AuditLog.class).list(AuditQuery.latest(1)).get(0).operation();
        assertThat(latest.operation()).isEqualTo(operation);
        assertThat(latest.operator()).isEqualTo(new Operator("ada", Operator.Access.ACTUATOR));
        assertThat(latest.outcome()).isEqualTo(outcome);
        assertThat(latest.reason()).isEqualTo(reason);
    }

    @Test
    void aRunGetsASignalOnceForEachKey() throws Exception {
        RunId id = charge();
        RunId other = charge();

        assertThat(decide(id, "signal", "{\"signal\":\"amount\",\"payload\":\"7\",\"key\":\"k-1\"}")
                        .status())
                .isEqualTo(200);

        assertAudited("run.signal", Outcome.ACCEPTED, null);
        assertThat(runs().handle(id, Charge.class).await(SOON)).isEqualTo("card 7");
        String another = "{\"signal\":\"other\",\"payload\":\"null\",\"key\":\"k-1\"}";
        assertThat(decide(other, "signal", another).status()).isEqualTo(200);
        assertThat(decide(other, "signal", another).status()).isEqualTo(409);
        assertThat(decide(RunId.next(), "signal", another).status()).isEqualTo(404);
    }

    @Test
    void aPersonCallsBackInsteadOfAnotherSystem() throws Exception {
        RunId completed = parcel();
        RunId failed = parcel();

        assertThat(decide(completed, "complete-callback", "{\"step\":\"ship\",\"result\":\"\\\"tracking\\\"\"}")
                        .status())
                .isEqualTo(200);
        assertAudited("callback.complete", Outcome.ACCEPTED, null);
        assertThat(decide(failed, "fail-callback", "{\"step\":\"ship\",\"reason\":\"the parcel is lost\"}")
                        .status())
                .isEqualTo(200);

        assertAudited("callback.fail", Outcome.ACCEPTED, "the parcel is lost");
        awaitState(completed, RunState.COMPLETED);
        awaitState(failed, RunState.FAILED);
        assertThat(shop.bean(Sagas.class).find(completed).orElseThrow().context())
                .containsEntry("ship", "tracking");
        assertThat(decide(failed, "fail-callback", "{\"step\":\"ship\",\"reason\":\"again\"}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void aCancellationHasAReason() throws Exception {
        RunId id = charge();

        assertThat(ada.send("DELETE", "%s/%s?reason=the%%20customer%%20called".formatted(RUNS, id))
                        .status())
                .isEqualTo(200);

        assertAudited("run.cancel", Outcome.ACCEPTED, "the customer called");
        assertThat(runs().find(id).orElseThrow().cancelReason()).isEqualTo("cancelled by 'ada': the customer called");
    }

    @Test
    void theCountedRunsOfAListAreChangedAndNoLaterOnes() throws Exception {
        List<RunId> counted = List.of(labelled("7"), labelled("7"), labelled("7"));
        RunId elsewhere = labelled("8");
        JsonNode list = ada.get(RUNS + "?run=charge&state=waiting&label=batch:7&label=all:yes&limit=1&count=true")
                .json();
        String latest = list.path("runs").get(0).path("id").asString();
        assertThat(list.path("count").path("number").asInt()).isEqualTo(3);
        RunId later = labelled("7");

        Http.Answer first = cancelAll(latest, 2, null);
        assertThat(first.status()).as(first.text()).isEqualTo(200);
        assertThat(first.json().path("done").asInt()).isEqualTo(2);
        String next = first.json().path("next").asString();
        Http.Answer second = cancelAll(latest, 1, next);

        assertThat(second.json().path("done").asInt()).as(second.text()).isOne();
        assertAudited("bulk.cancel", Outcome.ACCEPTED, "wrong price");
        counted.forEach(run -> awaitState(run, RunState.CANCELLED));
        assertThat(runs().find(later).orElseThrow().state()).isEqualTo(RunState.WAITING);
        assertThat(runs().find(elsewhere).orElseThrow().state()).isEqualTo(RunState.WAITING);
        assertThat(cancelAll(latest, 1, null).status()).isEqualTo(404);
        assertThat(runs().cancel(later, "the end of the test")).isTrue();
        assertThat(runs().cancel(elsewhere, "the end of the test")).isTrue();
    }

    private static RunId labelled(String batch) {
        RunId id = runs().start(
                        Charge.class, "card", RunOptions.label("batch", batch).andLabel("all", "yes"))
                .id();
        awaitState(id, RunState.WAITING);
        return id;
    }

    /** The address has the labels, because the body can have only one. */
    private static Http.Answer cancelAll(String latest, int count, @Nullable String next) throws Exception {
        return ada.post(
                RUNS + "?label=batch:7&label=all:yes",
                "{\"operation\":\"cancel\",\"run\":\"charge\",\"state\":\"waiting\",\"latest\":\"%s\",\"count\":%s,\"reason\":\"wrong price\"%s}"
                        .formatted(latest, count, next == null ? "" : ",\"next\":\"" + next + "\""));
    }

    @Test
    void aKindOfRunsIsPausedUntilItIsResumed() throws Exception {
        assertThat(ada.post("/actuator/sagapauses/kind/charge", "{\"reason\":\"the bank is down\"}")
                        .status())
                .isEqualTo(200);

        assertAudited("kind.pause", Outcome.ACCEPTED, "the bank is down");
        assertThat(shop.bean(Pauses.class).names(Kind.RUN, Duration.ZERO)).containsExactly("charge");
        assertThat(ada.get("/actuator/sagapauses").json().path("pauses"))
                .singleElement()
                .satisfies(pause -> {
                    assertThat(pause.path("what").asString()).isEqualTo("kind");
                    assertThat(pause.path("name").asString()).isEqualTo("charge");
                    assertThat(pause.path("by").asString()).isEqualTo("'ada'");
                    assertThat(pause.path("why").asString()).isEqualTo("the bank is down");
                });
        assertThat(ada.post("/actuator/sagapauses/kind/charge", "{\"reason\":\"again\"}")
                        .status())
                .isEqualTo(409);
        assertThat(ada.send("DELETE", "/actuator/sagapauses/kind/charge").status())
                .isEqualTo(200);
        assertAudited("kind.resume", Outcome.ACCEPTED, null);
        assertThat(ada.send("DELETE", "/actuator/sagapauses/kind/charge").status())
                .isEqualTo(409);
        assertThat(ada.post("/actuator/sagapauses/kind/unknown", "{\"reason\":\"why\"}")
                        .status())
                .isEqualTo(404);
        assertThat(shop.bean(Pauses.class).all()).isEmpty();
    }

    @Test
    void aJanitorIsPausedUntilItIsResumed() throws Exception {
        String janitor = "/actuator/sagapauses/janitor/shop";

        assertThat(ada.post(janitor, "{\"reason\":\"a migration\"}").status()).isEqualTo(200);
        assertAudited("janitor.pause", Outcome.ACCEPTED, "a migration");
        assertThat(ada.send("DELETE", janitor).status()).isEqualTo(200);

        assertAudited("janitor.resume", Outcome.ACCEPTED, null);
    }

    @Test
    void aLeaseIsFoundAndFreed() throws Exception {
        Lease lease = shop.bean(LeaseManager.class).acquire(new LeaseName("nightly"));
        Lease other = shop.bean(LeaseManager.class).acquire(new LeaseName("other"));

        JsonNode listed = ada.get("/actuator/sagaleases?state=held&limit=1").json();
        JsonNode found = listed.path("leases").get(0);

        assertThat(found.path("name").asString()).isEqualTo("nightly");
        assertThat(found.path("state").asString()).isEqualTo("held");
        assertThat(found.path("token").asLong()).isEqualTo(lease.token().value());
        assertThat(ada.get("/actuator/sagaleases?after=" + listed.path("next").asString())
                        .json()
                        .path("leases"))
                .singleElement()
                .satisfies(each -> assertThat(each.path("name").asString()).isEqualTo("other"));
        assertThat(free("nightly", lease.token().value() + 1).status()).isEqualTo(409);
        assertThat(free("nightly&tenant=", lease.token().value()).status()).isEqualTo(200);
        assertAudited("lease.free", Outcome.ACCEPTED, "stuck");
        assertThat(free("unknown", 1).status()).isEqualTo(404);
        Lease next = shop.bean(LeaseManager.class).acquire(new LeaseName("nightly"));
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
        other.close();
        lease.close();
    }

    private static Http.Answer free(String lease, long token) throws Exception {
        return ada.send("DELETE", "/actuator/sagaleases?name=%s&token=%s&reason=stuck".formatted(lease, token));
    }

    @Test
    void aKeyIsFoundByItsPartsAndFreed() throws Exception {
        IdempotencyKey key = IdempotencyKey.of("pay", "order-7").ownedBy("eve");
        KeyCheck claimed = shop.bean(IdempotencyKeys.class).check(key);
        assertThat(claimed).isInstanceOf(KeyCheck.New.class);

        Http.Answer answer = ada.get("/actuator/sagakeys?operation=pay&request=order-7&owner=eve");
        JsonNode found = answer.json().path("keys").get(0);

        assertThat(found.path("state").asString()).isEqualTo("processing");
        assertThat(answer.text()).doesNotContain("order-7");
        assertThat(ada.get("/actuator/sagakeys?state=processing").json().path("keys"))
                .containsExactly(found);
        assertThat(ada.get("/actuator/sagakeys?operation=pay&request=order-8")
                        .json()
                        .path("keys"))
                .isEmpty();
        String path = "/actuator/sagakeys/%s?reason=stuck&token="
                .formatted(found.path("id").asString());
        long token = found.path("token").asLong();
        assertThat(ada.send("DELETE", path + (token + 1)).status()).isEqualTo(409);
        assertThat(ada.send("DELETE", path + token).status()).isEqualTo(200);
        assertAudited("key.free", Outcome.ACCEPTED, "stuck");
        assertThat(ada.send("DELETE", "/actuator/sagakeys/%s?token=1".formatted(UNKNOWN_KEY))
                        .status())
                .isEqualTo(404);
        assertThat(shop.bean(IdempotencyKeys.class).check(key)).isInstanceOf(KeyCheck.New.class);
    }

    @Test
    void exposedEndpointsAreReadOnlyByDefault() throws Exception {
        RunId id = charge();
        List<Integer> statuses = new ArrayList<>();
        try (Shop reading = open("management.endpoints.access.default=read-only")) {
            Http http = new Http(reading);
            for (String list : List.of("sagapauses", "sagaleases", "sagakeys")) {
                assertThat(http.get("/actuator/" + list).status()).isEqualTo(200);
            }
            statuses.add(http.post(RUNS, "{}").status());
            statuses.add(http.post("%s/%s/signal".formatted(RUNS, id), "{\"signal\":\"amount\",\"payload\":\"7\"}")
                    .status());
            statuses.add(http.post("/actuator/sagapauses/kind/charge", "{\"reason\":\"a\"}")
                    .status());
            statuses.add(
                    http.send("DELETE", "/actuator/sagaleases?name=a&token=1").status());
            statuses.add(http.send("DELETE", "/actuator/sagakeys/%s?token=1".formatted(UNKNOWN_KEY))
                    .status());
        }

        assertThat(statuses).allSatisfy(status -> assertThat(status).isIn(404, 405));
        assertThat(runs().find(id).orElseThrow().state()).isEqualTo(RunState.WAITING);
        assertThat(shop.bean(Pauses.class).all()).isEmpty();
        assertThat(runs().cancel(id, "the end of the test")).isTrue();
    }
}
