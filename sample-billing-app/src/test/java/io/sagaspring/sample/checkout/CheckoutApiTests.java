package io.sagaspring.sample.checkout;

import static io.sagaspring.sample.checkout.CheckoutCalls.APPLIED;
import static io.sagaspring.sample.checkout.CheckoutCalls.BY_HIMSELF;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A checkout starts once for each order and continues without its caller. The caller can also wait for the end of the
 * checkout.
 */
@SampleTest
class CheckoutApiTests {

    private final Api api;
    private final CheckoutCalls checkouts;
    private final JdbcClient jdbc;

    CheckoutApiTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.checkouts = new CheckoutCalls(api, database);
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    @Test
    void aCheckoutWhoseCourierDeliversCompletes() {
        Answer started = checkouts.start("completes", 4200, BY_HIMSELF);
        String checkout = started.location();
        Answer ended = api.get(checkout + "?await=PT30S");

        assertThat(started.status()).isEqualTo(202);
        String id = started.text("executionId");
        assertThat(checkout).isEqualTo("/api/checkouts/" + id);
        assertThat(started.body().propertyNames()).containsExactly("executionId", "state");
        assertThat(ended.status()).isEqualTo(200);
        assertThat(ended.raw()).startsWith("""
                        {"executionId":"%s","state":"completed","steps":[\
                        {"name":"charge_card","state":"completed","attempt":1,"error":null},\
                        {"name":"reserve_stock","state":"completed","attempt":1,"error":null},\
                        {"name":"arrange_fulfillment","state":"completed","attempt":1,"error":null},\
                        {"name":"send_receipt","state":"completed","attempt":1,"error":null}],"context":{""".formatted(id));
        assertThat(ended.body().path("context").propertyNames())
                .containsExactlyInAnyOrder("chargeId", "reservation", "shipmentId", "arrange_fulfillment");
        assertThat(ended.body().at("/context/arrange_fulfillment/deliveredBy").asString())
                .isEqualTo("courier");
        assertThat(checkouts.effects("completes"))
                .containsExactly(
                        "charge %s:charge_card".formatted(id),
                        "reserve %s:reserve_stock".formatted(id),
                        "ship %s:arrange_fulfillment".formatted(id),
                        "email %s:send_receipt".formatted(id));
        assertThat(checkouts.reservations("completes")).isEqualTo(1);
    }

    @Test
    void aRepeatedOrderReturnsItsCheckoutUnchanged() {
        Answer first = checkouts.start("again", 4200, "");
        String checkout = checkouts.awaitCourier(first);
        String before = api.get(checkout).raw();

        Answer again = checkouts.start("again", 100_000, BY_HIMSELF);

        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("executionId")).isEqualTo(first.text("executionId"));
        assertThat(again.location()).isEqualTo(checkout);
        assertThat(again.text("state")).isEqualTo("waiting");
        assertThat(api.get(checkout).raw()).isEqualTo(before);
    }

    @Test
    void exactlyOneOfConcurrentCallersStartsACheckout() {
        List<Answer> answers = Work.race(8, caller -> checkouts.start("race", 4200, BY_HIMSELF)).stream()
                .map(CompletableFuture::join)
                .toList();

        assertThat(answers).filteredOn(answer -> answer.status() == 202).hasSize(1);
        assertThat(answers).filteredOn(answer -> answer.status() != 202).allMatch(answer -> answer.status() == 200);
        assertThat(answers.stream().map(Answer::location).distinct()).hasSize(1);
        assertThat(api.get(answers.get(0).location() + "?await=PT30S").text("state"))
                .isEqualTo("completed");
        assertThat(checkouts.effects("race")).hasSize(4);
    }

    @Test
    void aReceiptThatCannotBeSentDoesNotFailTheCheckout() {
        String checkout = checkouts
                .start("no-mail", 4200, "\"send_receipt\":\"fail:always\"," + BY_HIMSELF)
                .location();

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("completed");

        assertThat(checkouts.steps(checkout)).contains("send_receipt failed 1");
        assertThat(checkouts.kinds("no-mail")).containsExactly("charge", "reserve", "ship");
    }

    @Test
    void fortyWaitingCallersDoNotBlockOtherRequests() {
        String checkout = checkouts.awaitCourier(checkouts.start("awaited", 4200, ""));

        List<CompletableFuture<Answer>> waiting = Work.race(40, caller -> api.get(checkout + "?await=PT1M"));
        assertThat(api.get(checkout + "?await=PT0.2S").text("state")).isEqualTo("waiting");
        assertThat(checkouts.call(checkout, "complete", "{}").raw()).isEqualTo(APPLIED);

        assertThat(waiting.stream().map(CompletableFuture::join).map(answer -> answer.text("state")))
                .hasSize(40)
                .containsOnly("completed");
    }

    @Test
    void aCourierCallbackThatWasLostWithItsNodeStillArrives() {
        String checkout = checkouts.awaitCourier(checkouts.start("made-up-for", 4200, ""));

        jdbc.sql("UPDATE effects.parcel SET by_himself = true, at = at - interval '1 minute' WHERE execution_id = ?")
                .param(checkout.substring("/api/checkouts/".length()))
                .update();

        assertThat(api.get(checkout + "?await=PT30S").text("state")).isEqualTo("completed");
    }
}
