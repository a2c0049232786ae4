package io.sagaspring.idempotency.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.shop.Http;
import io.sagaspring.shop.Http.Answer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests the responses of a real server to requests whose key is refused, already used or ignored. */
@ExtendWith(OutputCaptureExtension.class)
class KeyProblemsTests {

    private static final String SECRET = "4f9c-secret";

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
    void aDuplicateDuringTheWorkGetsAConflictWithARetryDelay() throws Exception {
        Stand.Parked parked = stand.park();
        CompletableFuture<Answer> first =
                parked.sent(client.post("/desk/1").key(SECRET).json("{}"));

        Answer second = client.post("/desk/1").key(SECRET).json("{}").send();
        parked.letGo();

        second.assertProblem(409, "DUPLICATE_REQUEST");
        assertThat(second.header("Retry-After")).matches("[1-5]");
        assertThat(second.text())
                .contains("\"title\":\"Duplicate request\"")
                .contains("\"type\":\"urn:sagaspring:duplicate-request\"")
                .doesNotContain(SECRET);
        assertThat(first.get(60, SECONDS).text()).isEqualTo("done");
        assertThat(client.post("/desk/1").key(SECRET).json("{}").send().isReplayed())
                .isTrue();
        assertThat(stand.desk.runs).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "another body          | /desk/1?a=1 | application/json | {\"n\":2}",
                "another query         | /desk/1?a=2 | application/json | {\"n\":1}",
                "no query              | /desk/1     | application/json | {\"n\":1}",
                "another id            | /desk/2?a=1 | application/json | {\"n\":1}",
                "another matrix        | /desk/1;m=2?a=1 | application/json | {\"n\":1}",
                "another type          | /desk/1?a=1 | text/plain       | {\"n\":1}",
                "no body               | /desk/1?a=1 | application/json | ''"
            })
    void theSameKeyForAnotherRequestIsRefused(String difference, String path, String type, String body) {
        client.post("/desk/1?a=1").key(SECRET).json("{\"n\":1}").send();

        Answer other =
                client.post(path).key(SECRET).body(type, body.getBytes(UTF_8)).send();

        other.assertProblem(422, "KEY_REUSED");
        assertThat(other.text())
                .as(difference)
                .contains("\"title\":\"Key reused\"")
                .doesNotContain(SECRET);
        assertThat(stand.desk.runs).hasValue(1);
    }

    @Test
    void theSameKeyWithAnotherMethodIsRefused() {
        client.post("/anything/1").key("k").send();

        client.ask("PUT", "/anything/1").key("k").send().assertProblem(422, "KEY_REUSED");
    }

    /** The path has another notation, or a proxy has changed parts that do not matter. */
    @ParameterizedTest
    @CsvSource({
        "/desk/%31?a=1, application/json",
        "/desk/1;jsessionid=0815?a=1, application/json",
        "/desk/1?a=1, application/json;charset=UTF-8",
        "/desk/1?a=1, APPLICATION/JSON"
    })
    void theSameRequestInAnotherNotationIsReplayed(String path, String type) {
        client.post("/desk/1?a=1").key("k").json("{}").send();

        Answer again =
                client.post(path).key("k").body(type, "{}".getBytes(UTF_8)).send();

        assertThat(again.isReplayed()).as(again.text()).isTrue();
    }

    /** An encoded semicolon is part of the id. */
    @Test
    void anEncodedSemicolonStartsNoMatrixVariable() {
        client.post("/desk/1%3Bm=2").key("k").send();

        client.post("/desk/1;m=2").key("k").send().assertProblem(422, "KEY_REUSED");
    }

    @Test
    void aRequestThatContainsTheSameKeyTwiceIsRefused() {
        Answer answer = client.post("/desk/1").key(SECRET).key(SECRET).send();

        answer.assertProblem(400, "INVALID_KEY");
        assertThat(answer.text()).contains("sent 2 times").doesNotContain(SECRET);
        assertThat(stand.desk.runs).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "''|is empty",
                "\"\"|is empty",
                "\"secret|must end with the next quote",
                "a secret|contains a space",
                "secret,2|must be in quotes"
            })
    void aMalformedKeyIsRefusedWithAReason(String key, String sentence) {
        Answer answer = client.post("/desk/1").key(key).send();

        answer.assertProblem(400, "INVALID_KEY");
        assertThat(answer.text()).contains(sentence).doesNotContain("secret");
        assertThat(stand.desk.runs).hasValue(0);
    }

    @Test
    void aKeyMayHave255Characters() {
        assertThat(client.post("/desk/1").key("k".repeat(255)).send().status()).isEqualTo(200);
        Answer answer = client.post("/desk/1").key("k".repeat(256)).send();

        answer.assertProblem(400, "INVALID_KEY");
        assertThat(answer.text()).contains("has 256 characters. At most 255 are allowed");
    }

    /** The test sends raw bytes, because an HTTP client would not send such a header. */
    @Test
    void aKeyWithBytesOutsideAsciiIsRefused() throws Exception {
        String answer = client.raw("""
                POST /desk/1 HTTP/1.1
                Host: localhost
                Content-Length: 0
                Idempotency-Key: schlüssel

                """, "visible ASCII");

        assertThat(answer).startsWith("HTTP/1.1 400").contains("visible ASCII");
        assertThat(stand.desk.runs).hasValue(0);
    }

    @Test
    void aRequestWithoutARequiredKeyIsRefused() {
        Answer answer = client.post("/required/1").send();

        answer.assertProblem(400, "MISSING_KEY");
        assertThat(answer.text()).contains("\"title\":\"Missing key\"").contains("header Idempotency-Key");
        assertThat(stand.desk.runs).hasValue(0);
        assertThat(client.post("/required/1").key("k").send().text()).isEqualTo("done");
    }

    @Test
    void aRequestWithoutAnOptionalKeyExecutesNoStatementAboutKeys(CapturedOutput output) {
        AtomicInteger statements = stand.countedStatements();

        assertThat(client.ask("PUT", "/desk/1").send().text()).isEqualTo("done");
        assertThat(client.ask("PUT", "/desk/1").send().text()).isEqualTo("done");

        assertThat(stand.desk.runs).hasValue(2);
        assertThat(statements).hasValue(0);
        assertThat(output.getOut())
                .containsOnlyOnce(Desk.class.getName() + ".put runs without protection")
                .contains("had no Idempotency-Key header");
    }

    @ParameterizedTest
    @ValueSource(strings = {"HEAD", "OPTIONS"})
    void headAndOptionsRequestsIgnoreKeys(String method) {
        AtomicInteger statements = stand.countedStatements();

        Answer without = client.ask(method, "/read/1").send();
        Answer with = client.ask(method, "/read/1").key("k").send();
        Answer again = client.ask(method, "/read/1").key("k").send();

        assertThat(without.status()).isEqualTo(200);
        assertThat(with.status()).isEqualTo(200);
        assertThat(again.isReplayed()).isFalse();
        assertThat(again.lasting()).isEqualTo(without.lasting());
        assertThat(statements).hasValue(0);
    }

    /** The handler is mapped to these methods, so Spring does not handle them itself. */
    @ParameterizedTest
    @ValueSource(strings = {"HEAD", "OPTIONS"})
    void headAndOptionsRequestsWithTheirOwnHandlerIgnoreKeys(String method) {
        AtomicInteger statements = stand.countedStatements();

        client.ask(method, "/anything/1").key("k").send();
        client.ask(method, "/anything/1").key("k").send();

        assertThat(stand.desk.runs).hasValue(2);
        assertThat(statements).hasValue(0);
    }

    @Test
    void theReplyToAGetRequestIsReplayed() {
        Answer first = client.ask("GET", "/read/1").key("k").send();
        Answer second = client.ask("GET", "/read/1").key("k").send();

        assertThat(second.isReplayed()).isTrue();
        assertThat(second.body()).isEqualTo(first.body());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRequestOverTheSizeLimitIsRefused(boolean chunked) {
        byte[] fits = new byte[Wiring.MAX_REQUEST];
        byte[] large = new byte[Wiring.MAX_REQUEST + 1];

        Answer allowed = sized(chunked, fits, "k");
        Answer refused = sized(chunked, large, "l");

        assertThat(allowed.body().bytes()).isEqualTo(fits);
        refused.assertProblem(413, "REQUEST_TOO_LARGE");
        assertThat(refused.text()).contains("100000 bytes");
        assertThat(stand.desk.runs).hasValue(1);
        assertThat(stand.keys()).isEqualTo(1);
    }

    /** The declared length is sufficient for a refusal. The server does not wait for the body. */
    @Test
    void aRequestThatDeclaresATooLargeBodyIsRefusedBeforeTheBodyIsRead() throws Exception {
        String answer = client.raw("""
                POST /bytes/1 HTTP/1.1
                Host: localhost
                Content-Length: 30000000
                Idempotency-Key: k

                """, "REQUEST_TOO_LARGE");

        assertThat(answer).startsWith("HTTP/1.1 413").contains("REQUEST_TOO_LARGE");
    }

    private static Answer sized(boolean chunked, byte[] bytes, String key) {
        Http.Asked request = client.post("/bytes/1").key(key);
        return (chunked ? request.chunked(bytes) : request.body("application/octet-stream", bytes)).send();
    }

    @Test
    void aMultipartRequestIsRefused() {
        Answer answer = client.post("/desk/1")
                .key("k")
                .body(
                        "multipart/form-data; boundary=b",
                        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n".getBytes(UTF_8))
                .send();

        answer.assertProblem(400, "INVALID_KEY");
        assertThat(answer.text()).contains("multipart");
        assertThat(stand.desk.runs).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFormWithReorderedFieldsIsTheSameRequest(boolean readBefore) {
        Answer first = form(readBefore, "/form?q=0", "a=%C3%A4&b=1&b=2&c");
        Answer turned = form(readBefore, "/form?q=0", "c=&b=1&a=%c3%a4&b=2");
        Answer other = form(readBefore, "/form?q=0", "a=%C3%A4&b=2&b=1&c");

        assertThat(first.text()).isEqualTo("{a=ä, b=1, c=, q=0}");
        assertThat(turned.isReplayed()).as(turned.text()).isTrue();
        other.assertProblem(422, "KEY_REUSED");
    }

    /** The fingerprint does not depend on whether a filter has read a parameter. */
    @Test
    void aFilterThatReadsAFormDoesNotChangeTheFingerprint() {
        Answer first = form(true, "/form?q=0", "a=1&b=2");
        Answer second = form(false, "/form?q=0", "a=1&b=2");

        assertThat(second.isReplayed()).isTrue();
        assertThat(second.body()).isEqualTo(first.body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/form-body", "/form-body?q=0"})
    void aHandlerMayReadAFormAsItsBody(String path) {
        Answer without = client.post(path).form("a=1&b=2&b=3").send();
        Answer with = client.post(path).key("k").form("a=1&b=2&b=3").send();

        assertThat(without.text()).isEqualTo("{a=[1], b=[2, 3]}");
        assertThat(with.text()).isEqualTo(without.text());
    }

    @Test
    void aMalformedFormIsRefusedAsABadRequest() {
        Answer answer = client.post("/form").key("k").form("a=%zz").send();

        assertThat(answer.status()).isEqualTo(400);
        assertThat(stand.desk.runs).hasValue(0);
        assertThat(stand.keys()).isZero();
    }

    private static Answer form(boolean readBefore, String path, String text) {
        Http.Asked request = client.post(path).key("k").form(text);
        return (readBefore ? request.header("X-Read-Form", "1") : request).send();
    }

    /** A banned caller gets no reply, even if an earlier caller with the same key was allowed. */
    @Test
    void anInterceptorMayRefuseACallerBeforeAReplay() {
        client.post("/desk/1").key("k").send();

        Answer banned = client.post("/desk/1").key("k").header("X-Banned", "1").send();

        assertThat(banned.status()).isEqualTo(403);
        assertThat(banned.text()).doesNotContain("done");
        assertThat(banned.isReplayed()).isFalse();
    }
}
