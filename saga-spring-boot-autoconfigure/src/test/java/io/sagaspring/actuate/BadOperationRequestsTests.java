package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.pause.Pauses;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.shop.Http;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A bad request for an operation changes nothing. Its answer names the fault and the remedy. */
class BadOperationRequestsTests extends RequestedOperations {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "POST|sagaruns/ID/signal|{\"payload\":\"7\"}|'signal'|Give the name",
                "POST|sagaruns/ID/signal|{\"signal\":\"amount\"}|'payload'|a string of JSON",
                "POST|sagaruns/ID/signal|{\"signal\":\"amount\",\"payload\":\"seven\"}|payload|line 1, column 1",
                "POST|sagaruns/ID/signal|{\"signal\":\"amount\",\"payload\":\"7\",\"step\":\"a\"}|'step'|Leave the field out",
                "POST|sagaruns/ID/complete-callback|{\"step\":\"ship\"}|'result'|a string of JSON",
                "POST|sagaruns/ID/fail-callback|{\"step\":\"ship\"}|'reason'|colleagues understand",
                "POST|sagaruns/ID/done|{\"step\":\"ship\",\"result\":\"1\",\"reason\":\"a\"}|'reason'|Leave the field out",
                "POST|sagaruns|{}|'operation'|retry, cancel or give-up",
                "POST|sagaruns|{\"operation\":\"done\"}|'done'|retry, cancel or give-up",
                "POST|sagaruns|{\"operation\":\"cancel\",\"state\":\"waiting\",\"count\":1}|'latest'|first run in the list",
                "POST|sagaruns|{\"operation\":\"cancel\",\"state\":\"waiting\",\"latest\":\"ID\"}|'count'|count=true",
                "POST|sagaruns|{\"operation\":\"cancel\",\"latest\":\"ID\",\"count\":1}|bulk.cancel|exactly one state",
                "POST|sagaruns|{\"operation\":\"retry\",\"state\":\"waiting\",\"latest\":\"ID\",\"count\":1}|bulk.retry|failed",
                "POST|sagaruns|{\"operation\":\"cancel\",\"state\":\"waiting\",\"latest\":\"7\",\"count\":1}|'7'|the id as sagaruns shows it",
                "POST|sagaruns|{\"operation\":\"cancel\",\"state\":\"waiting\",\"latest\":\"ID\",\"count\":1,\"next\":\"7\"}|'7'|previous answer",
                "POST|sagapauses/kind/charge|{}|'reason'|colleagues understand",
                "POST|sagapauses/queue/charge|{\"reason\":\"a\"}|'queue'|kind or janitor",
                "DELETE|sagapauses/queue/charge||'queue'|kind or janitor",
                "GET|sagaleases?state=stuck||'stuck'|held, free, completed",
                "GET|sagaleases?after=%00||cannot be read|previous answer",
                "GET|sagaleases?name=%00||'name'|Remove that character",
                "DELETE|sagaleases?token=1||'name'|from the list",
                "DELETE|sagaleases?name=a||'token'|from the list",
                "GET|sagakeys?state=stuck||'stuck'|processing, abandoned, completed, expired",
                "GET|sagakeys?after=x||'x'|previous answer",
                "GET|sagakeys?account=a||'account'|Add the request",
                "GET|sagakeys?request=a||'operation'|name of the operation",
                "GET|sagakeys?request=a&operation=b&state=expired||'state'|Leave them out",
                "DELETE|sagakeys/00||'token'|from the list",
            })
    void aBadRequestNamesTheFaultAndTheRemedy(
            String method, String path, @Nullable String json, String value, String remedy) throws Exception {
        RunId id = charge();
        String at = "/actuator/" + path.replace("ID", id.toString());

        Http.Answer answer = json == null ? ada.send(method, at) : ada.post(at, json.replace("ID", id.toString()));

        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        assertThat(answer.json().path("detail").asString()).contains(value, remedy);
        assertThat(runs().find(id).orElseThrow().state()).isEqualTo(RunState.WAITING);
        assertThat(shop.bean(Pauses.class).all()).isEmpty();
        assertThat(runs().cancel(id, "the end of the test")).isTrue();
    }
}
