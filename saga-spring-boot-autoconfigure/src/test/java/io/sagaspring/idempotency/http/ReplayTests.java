package io.sagaspring.idempotency.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.shop.Http;
import io.sagaspring.shop.Http.Answer;
import jakarta.servlet.http.Cookie;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/** A repeated request to a real server gets the reply of the first request. */
class ReplayTests {

    private static final Stand stand = Stand.open();
    private static final Http client = stand.client;

    @AfterAll
    static void close() {
        stand.close();
    }

    @BeforeEach
    void reset() {
        stand.reset();
    }

    @Test
    void aRepeatedRequestGetsTheSameStatusHeadersAndBytes() {
        stand.desk.work = (request, response) -> ResponseEntity.created(URI.create("/accounts/7"))
                .eTag("\"v1\"")
                .header("Content-Language", "de")
                .header("Cache-Control", "private, max-age=5")
                .header("Link", "</a>; rel=\"next\"", "</b>; rel=\"prev\"")
                .body(Map.of("straße", "Überführung %d".formatted(stand.desk.runs.get())));

        Answer first = client.post("/desk/1").key("k").json("{}").send();
        Answer second = client.post("/desk/1").key("k").json("{}").send();

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.text()).isEqualTo("{\"straße\":\"Überführung 1\"}");
        assertThat(first.header("Link")).isEqualTo("</a>; rel=\"next\" | </b>; rel=\"prev\"");
        assertThat(first.isReplayed()).isFalse();
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.lasting()).isEqualTo(first.lasting());
        assertThat(second.isReplayed()).isTrue();
        assertThat(stand.desk.runs).hasValue(1);
    }

    @Test
    void aKeyDoesNotChangeTheFirstAnswer() {
        stand.desk.work = (request, response) -> {
            response.addCookie(new Cookie("a", "b"));
            return ResponseEntity.ok().header("X-Own", "1").body(Map.of("a", "ä"));
        };

        Answer without = client.post("/desk/1").json("{}").send();
        Answer with = client.post("/desk/1").key("k").json("{}").send();

        assertThat(with.status()).isEqualTo(without.status());
        assertThat(with.body()).isEqualTo(without.body());
        // The length is known, so the body is not sent in chunks.
        assertThat(with.lasting("content-length")).isEqualTo(without.lasting("transfer-encoding", "content-length"));
    }

    @Test
    void cookiesAndOtherHeadersAreNotReplayed() {
        stand.desk.work = (request, response) -> {
            response.addCookie(new Cookie("session", "secret"));
            response.setHeader("X-Other", "1");
            return "done";
        };

        Answer first = client.post("/desk/1").key("k").send();
        Answer second = client.post("/desk/1").key("k").send();

        assertThat(first.header("Set-Cookie")).contains("secret");
        assertThat(second.isReplayed()).isTrue();
        assertThat(second.headers().map()).doesNotContainKeys("set-cookie", "x-other");
        assertThat(second.header("X-Filter")).isEqualTo("was here");
    }

    @Test
    void securityAndCachingHeadersAreReplayedAndTraceparentIsNot() {
        stand.desk.work = (request, response) -> {
            response.addHeader("Vary", "Accept");
            response.addHeader("Vary", "Origin");
            response.setHeader("Content-Security-Policy", "default-src 'none'");
            response.setHeader("X-Content-Type-Options", "nosniff");
            response.setHeader("X-Frame-Options", "DENY");
            response.setHeader("Referrer-Policy", "no-referrer");
            response.setHeader("Permissions-Policy", "camera=()");
            response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
            response.setHeader("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT");
            response.setHeader("traceparent", "00-1-2-01");
            return "done";
        };

        Answer first = client.post("/desk/1").key("k").send();
        Answer second = client.post("/desk/1").key("k").send();

        assertThat(second.isReplayed()).isTrue();
        assertThat(first.header("Vary")).contains("Accept").contains("Origin");
        assertThat(second.lasting("traceparent")).isEqualTo(first.lasting("traceparent"));
        assertThat(second.headers().map()).doesNotContainKey("traceparent");
    }

    @Test
    void aUserNamedLikeAMissingOwnerIsADistinctOwner() {
        Answer anonymous = client.post("/desk/1").key("k").send();
        Answer dash = client.post("/desk/1").key("k").header("X-User", "-").send();
        Answer dashes = client.post("/desk/1").key("k").header("X-User", "--").send();
        Answer again = client.post("/desk/1").key("k").header("X-User", "-").send();

        assertThat(anonymous.isReplayed()).isFalse();
        assertThat(dash.isReplayed()).isFalse();
        assertThat(dashes.isReplayed()).isFalse();
        assertThat(again.isReplayed()).isTrue();
    }

    @Test
    void aKeyInQuotesIsTheSameKey() {
        Answer bare = client.post("/desk/1").key("abc").send();
        Answer quoted = client.post("/desk/1").key("\"abc\"").send();
        Answer other = client.post("/desk/1").key("abd").send();

        assertThat(bare.isReplayed()).isFalse();
        assertThat(quoted.isReplayed()).isTrue();
        assertThat(other.isReplayed()).isFalse();
        assertThat(stand.desk.runs).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 202, 204, 205})
    void anEmptyBodyIsReplayedAsEmpty(int status) {
        stand.desk.work = (request, response) ->
                ResponseEntity.status(status).eTag("\"v1\"").build();

        Answer first = client.post("/desk/1").key("k").send();
        Answer second = client.post("/desk/1").key("k").send();

        assertThat(second.isReplayed()).isTrue();
        assertThat(second.status()).isEqualTo(status);
        assertThat(second.text()).isEmpty();
        assertThat(second.lasting()).isEqualTo(first.lasting());
        assertThat(second.header("ETag")).isEqualTo("\"v1\"");
    }

    @Test
    void aBinaryBodyIsReplayedUnchanged() {
        byte[] all = new byte[256];
        for (int each = 0; each < all.length; each++) {
            all[each] = (byte) each;
        }
        stand.desk.work = (request, response) -> ResponseEntity.ok()
                .contentType(MediaType.APPLICATION_OCTET_STREAM)
                .header(
                        HttpHeaders.CONTENT_DISPOSITION,
                        ContentDisposition.attachment()
                                .filename("grün.bin", UTF_8)
                                .build()
                                .toString())
                .body(all);

        Answer first = client.post("/desk/1").key("k").send();
        Answer second = client.post("/desk/1").key("k").send();

        assertThat(first.body().bytes()).isEqualTo(all);
        assertThat(second.isReplayed()).isTrue();
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.lasting()).isEqualTo(first.lasting());
        assertThat(second.header("Content-Disposition")).contains("gr%C3%BCn.bin");
    }

    /** A client could not read the stored body without its Content-Encoding. */
    @Test
    void aBodyCompressedByTheHandlerIsReplayedCompressed() {
        stand.desk.work = (request, response) -> {
            ByteArrayOutputStream zipped = new ByteArrayOutputStream();
            try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
                zip.write("long ".repeat(100).getBytes(UTF_8));
            }
            return ResponseEntity.ok().header("Content-Encoding", "gzip").body(zipped.toByteArray());
        };

        Answer first = client.post("/desk/1").key("k").send();
        Answer second = client.post("/desk/1").key("k").send();

        assertThat(second.isReplayed()).isTrue();
        assertThat(second.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(second.body()).isEqualTo(first.body());
    }

    @Test
    void aLargeReplyIsReplayedUpToTheLimit() {
        stand.desk.work = (request, response) -> new byte[Wiring.MAX_REPLY];

        Answer first = client.post("/desk/1").key("k").send();
        Answer second = client.post("/desk/1").key("k").send();

        assertThat(first.body().bytes()).hasSize(Wiring.MAX_REPLY);
        assertThat(second.isReplayed()).isTrue();
        assertThat(second.body()).isEqualTo(first.body());
    }

    @Test
    void anOversizedReplyIsSentOnceAndTheWorkIsNotRepeated() {
        byte[] large = "x".repeat(Wiring.MAX_REPLY + 1).getBytes(UTF_8);
        stand.desk.work = (request, response) -> large;

        Answer first = client.post("/desk/1").key("k").send();
        Answer second = client.post("/desk/1").key("k").send();

        assertThat(first.status()).isEqualTo(200);
        assertThat(first.body().bytes()).isEqualTo(large);
        second.assertProblem(409, "REPLY_NOT_KEPT");
        assertThat(second.headers().map()).doesNotContainKey("retry-after");
        assertThat(stand.desk.runs).hasValue(1);
    }

    @Test
    void aFileIsReplayed() {
        stand.desk.work = (request, response) -> ResponseEntity.ok(new ByteArrayResource("content".getBytes(UTF_8)));

        Answer first = client.post("/entity/1").key("k").send();
        Answer second = client.post("/entity/1").key("k").send();

        assertThat(first.text()).isEqualTo("content");
        assertThat(second.isReplayed()).isTrue();
        assertThat(second.lasting()).isEqualTo(first.lasting("accept-ranges"));
    }

    @Test
    void theReplyOfOneUserNeverReachesAnotherUser() {
        stand.desk.work = (request, response) ->
                Objects.requireNonNull(request.getUserPrincipal()).getName();

        Answer ada = client.post("/desk/1").key("k").header("X-User", "ada").send();
        Answer bob = client.post("/desk/1").key("k").header("X-User", "bob").send();
        Answer again = client.post("/desk/1").key("k").header("X-User", "ada").send();

        assertThat(ada.text()).isEqualTo("ada");
        assertThat(bob.text()).isEqualTo("bob");
        assertThat(bob.isReplayed()).isFalse();
        assertThat(again.text()).isEqualTo("ada");
        assertThat(again.isReplayed()).isTrue();
        assertThat(stand.desk.runs).hasValue(2);
    }

    @Test
    void theSameKeyWithAnotherAccountIsADifferentRequest() {
        Answer one = client.post("/accounts/1/credits").key("k").send();
        Answer two = client.post("/accounts/2/credits").key("k").send();
        Answer again = client.post("/accounts/1/credits").key("k").send();

        assertThat(one.text()).isEqualTo("credit 1 of 1");
        assertThat(two.text()).isEqualTo("credit 2 of 2");
        assertThat(again.text()).isEqualTo("credit 1 of 1");
        assertThat(again.isReplayed()).isTrue();
    }

    @Test
    void theKeyOfAnAccountChangingOperationIsFoundUnderAnotherAccount() {
        Answer first = client.post("/accounts/1/reset").key("k").send();
        Answer again = client.post("/accounts/1/reset").key("k").send();
        Answer other = client.post("/accounts/2/reset").key("k").send();

        assertThat(again.text()).isEqualTo(first.text());
        assertThat(again.isReplayed()).isTrue();
        other.assertProblem(422, "KEY_REUSED");
        assertThat(stand.desk.runs).hasValue(1);
    }

    @Test
    void eachOperationHasItsOwnKeys() {
        assertThat(client.post("/desk/1").key("k").send().isReplayed()).isFalse();
        assertThat(client.post("/raw/1").key("k").send().isReplayed()).isFalse();
        assertThat(client.ask("PUT", "/desk/1").key("k").send().isReplayed()).isFalse();
        assertThat(stand.desk.runs).hasValue(3);
    }

    @Test
    void aDuplicateWithPatienceWaitsForTheReply() throws Exception {
        Stand.Parked parked = stand.park();
        CompletableFuture<Answer> first = parked.sent(client.post("/patient/1").key("k"));
        stand.shop.interference().with(new Counting(2, parked::letGo));

        Answer second = client.post("/patient/1").key("k").send();

        assertThat(second.isReplayed()).isTrue();
        assertThat(second.body()).isEqualTo(first.get(60, SECONDS).body());
        assertThat(stand.desk.runs).hasValue(1);
    }

    /** The application's adapter supports the same handlers, so the order decides which adapter is used. */
    @Test
    void theIdempotentAdapterPrecedesTheApplicationsAdapter() {
        assertThat(stand.shop.bean(IdempotentHandlerAdapter.class).getOrder())
                .isLessThan(stand.shop.bean(RequestMappingHandlerAdapter.class).getOrder());
    }

    @Test
    void aReplyIsReplayedAfterARestartOfTheApplication() {
        try (Stand before = Stand.open()) {
            Answer first = before.client.post("/desk/1").key("k").json("{}").send();
            try (Stand after = before.restart()) {
                Answer second = after.client.post("/desk/1").key("k").json("{}").send();

                assertThat(second.isReplayed()).isTrue();
                assertThat(second.body()).isEqualTo(first.body());
                assertThat(second.lasting()).isEqualTo(first.lasting());
                assertThat(after.desk.runs).hasValue(0);
            }
        }
    }
}
