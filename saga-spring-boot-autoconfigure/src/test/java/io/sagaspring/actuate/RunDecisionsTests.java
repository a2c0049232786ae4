package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView.StepView;
import io.sagaspring.run.Runs;
import io.sagaspring.shop.Http;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.JsonNode;

/** Operators decide about runs over HTTP, and the run and the log name the operators. */
@ExtendWith(OutputCaptureExtension.class)
class RunDecisionsTests extends OperatedRuns {

    @Test
    void aFailedRunContinuesWhenItIsRetried() throws Exception {
        RunId id = failed();
        shop.bean(Charge.class).broken = false;

        Http.Answer answer = http.send("POST", "/actuator/sagaruns/" + id);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("result").asString()).isEqualTo("ACCEPTED");
        awaitState(id, RunState.COMPLETED);
        Http.Answer again = http.send("POST", "/actuator/sagaruns/" + id);
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().path("message").asString()).contains(id.toString(), "is completed");
    }

    @Test
    void aCancelledRunRecordsThatAnOperatorCancelledIt() throws Exception {
        RunId id = waiting(shop);

        assertThat(http.send("DELETE", "/actuator/sagaruns/" + id).status()).isEqualTo(200);

        awaitState(id, RunState.CANCELLED);
        assertThat(http.get("/actuator/sagaruns/" + id)
                        .json()
                        .path("cancelReason")
                        .asString())
                .isEqualTo("cancelled by an operator");
        Http.Answer again = http.send("DELETE", "/actuator/sagaruns/" + id);
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().path("message").asString()).contains("is cancelled", "It has already ended");
    }

    @Test
    void aStepInDoubtIsResolvedAsDoneAndRecordsTheUser(CapturedOutput output) throws Exception {
        RunId id = inDoubt();

        Http.Answer answer = http.as("ada")
                .post(
                        "/actuator/sagaruns/%s/done".formatted(id),
                        "{\"step\":\"wire\",\"result\":\"\\\"receipt-7\\\"\"}");

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        awaitState(id, RunState.COMPLETED);
        assertThat(shop.bean(Runs.class).handle(id, Wire.class).await(SOON)).isEqualTo("account:receipt-7");
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().steps())
                .extracting(StepView::mark, StepView::detail)
                .containsExactly(tuple("intent", null), tuple("done", "resolved by 'ada'"));
        assertThat(output).contains("Step 'wire' of run %s was resolved as done by 'ada'".formatted(id));
        assertThat(http.post("/actuator/sagaruns/%s/not-done".formatted(id), "{\"step\":\"wire\"}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void aStepInDoubtIsResolvedAsNotDone() throws Exception {
        RunId id = inDoubt();

        assertThat(http.post("/actuator/sagaruns/%s/not-done".formatted(id), "{\"step\":\"another\"}")
                        .status())
                .isEqualTo(409);
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().state()).isEqualTo(RunState.IN_DOUBT);
        assertThat(http.post("/actuator/sagaruns/%s/not-done".formatted(id), "{\"step\":\"wire\"}")
                        .status())
                .isEqualTo(200);

        awaitState(id, RunState.COMPLETED);
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().steps())
                .extracting(StepView::detail)
                .contains("resolved by an operator");
    }

    @Test
    void aRunWhoseCodeIsGoneCanBeGivenUp(CapturedOutput output) throws Exception {
        RunId id = waiting(shop);
        shop.database()
                .sql("UPDATE saga_run SET run = 'gone' WHERE id = ?::uuid")
                .param(id.toString())
                .update();

        Http.Answer answer = http.as("ada").post("/actuator/sagaruns/%s/give-up".formatted(id), "{}");

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        JsonNode run = http.get("/actuator/sagaruns/" + id).json();
        assertThat(run.path("state").asString()).isEqualTo("cancelled");
        assertThat(run.path("cancelReason").asString()).isEqualTo("given up by 'ada'");
        assertThat(run.path("error").asString())
                .isEqualTo("given up by 'ada' while it was waiting. Nothing was compensated.");
        assertThat(output).contains("Run %s of 'gone' was given up by 'ada'".formatted(id));
        assertThat(http.post("/actuator/sagaruns/%s/give-up".formatted(id), "{}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void aRunThatCanBeCancelledCannotBeGivenUp() throws Exception {
        RunId id = waiting(shop);

        Http.Answer answer = http.post("/actuator/sagaruns/%s/give-up".formatted(id), "{}");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("message").asString()).contains("is waiting", "Cancel");
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().state()).isEqualTo(RunState.WAITING);
    }

    @Test
    void theUserOfACancellationOrRetryIsRecorded(CapturedOutput output) throws Exception {
        RunId cancelled = waiting(shop);
        RunId retried = failed();
        shop.bean(Charge.class).broken = false;

        assertThat(http.as("ada")
                        .send("DELETE", "/actuator/sagaruns/" + cancelled)
                        .status())
                .isEqualTo(200);
        assertThat(http.as("eve\n2026 ERROR forged")
                        .send("POST", "/actuator/sagaruns/" + retried)
                        .status())
                .isEqualTo(200);

        awaitState(cancelled, RunState.CANCELLED);
        assertThat(shop.bean(Runs.class).find(cancelled).orElseThrow().cancelReason())
                .isEqualTo("cancelled by 'ada'");
        assertThat(output)
                .contains("Run %s continues, because 'eve 2026 ERROR forged' has retried it".formatted(retried));
    }

    @Test
    void aRunWhoseKeyAnotherRunHasIsNotRetried() throws Exception {
        Runs runs = shop.bean(Runs.class);
        RunOptions options = RunOptions.withKey("charge:7").whileOpen();
        shop.bean(Charge.class).broken = true;
        RunId failed = runs.start(Charge.class, "card", options).id();
        var unused = runs.signal(failed, "amount", "twelve euros");
        awaitState(failed, RunState.FAILED);
        RunId other = runs.start(Charge.class, "card", options).id();

        Http.Answer answer = http.send("POST", "/actuator/sagaruns/" + failed);

        assertThat(answer.status()).as(answer.text()).isEqualTo(409);
        assertThat(answer.json().path("message").asString())
                .startsWith("Run %s cannot be retried: run %s was started with its key".formatted(failed, other));
        assertThat(runs.find(failed).orElseThrow().state()).isEqualTo(RunState.FAILED);
    }

    @Test
    void aDecisionAboutAnUnknownRunIsNotFound() throws Exception {
        RunId none = RunId.next();

        assertThat(http.post("/actuator/sagaruns/%s/give-up".formatted(none), "{}")
                        .status())
                .isEqualTo(404);
        assertThat(http.post("/actuator/sagaruns/%s/not-done".formatted(none), "{\"step\":\"wire\"}")
                        .status())
                .isEqualTo(404);
    }
}
