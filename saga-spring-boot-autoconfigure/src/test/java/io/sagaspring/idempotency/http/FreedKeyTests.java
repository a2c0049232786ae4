package io.sagaspring.idempotency.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.shop.Http;
import io.sagaspring.shop.Http.Answer;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.Statements;
import jakarta.servlet.http.Cookie;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;

/** Tests keys on a real server when the handler fails or its reply does not arrive. */
class FreedKeyTests {

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

    /** A way in which a handler can fail. */
    record Failure(String name, int status, Desk.Work work) {

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Failure> failures() {
        return List.of(
                new Failure("thrown", 422, (request, response) -> {
                    throw new Desk.Trouble();
                }),
                new Failure("unhandled", 500, (request, response) -> {
                    throw new IllegalArgumentException("nobody answers this");
                }),
                new Failure("error", 500, (request, response) -> {
                    throw new AssertionError("nobody answers this");
                }),
                new Failure("response status", 404, (request, response) -> {
                    throw new ResponseStatusException(HttpStatus.NOT_FOUND, "not here");
                }),
                new Failure(
                        "client error",
                        409,
                        (request, response) -> ResponseEntity.status(409)
                                .header("X-Why", "taken")
                                .body("taken")),
                new Failure(
                        "server error",
                        503,
                        (request, response) -> ResponseEntity.status(503)
                                .header("Retry-After", "7")
                                .body("closed")),
                new Failure("error sent", 410, (request, response) -> {
                    response.sendError(410, "gone");
                    return null;
                }),
                new Failure("error sent after writing", 400, (request, response) -> {
                    response.setStatus(200);
                    response.getOutputStream().print("half");
                    response.sendError(400);
                    return null;
                }),
                new Failure(
                        "redirected",
                        303,
                        (request, response) -> ResponseEntity.status(303)
                                .location(URI.create("/elsewhere"))
                                .build()),
                new Failure("redirect sent", 302, (request, response) -> {
                    response.sendRedirect("/elsewhere");
                    return null;
                }),
                new Failure("redirect sent with body", 307, (request, response) -> {
                    response.getWriter().print("there");
                    response.sendRedirect("/elsewhere", 307, false);
                    return null;
                }),
                new Failure("thrown after writing", 422, (request, response) -> {
                    response.setStatus(201);
                    response.setContentType("text/csv");
                    response.addCookie(new Cookie("a", "b"));
                    response.setHeader("X-Own", "1");
                    response.getOutputStream().print("half");
                    throw new Desk.Trouble();
                }),
                new Failure("not writable", 500, (request, response) -> new Unwritable()));
    }

    /** A class whose values make Jackson fail in the middle of writing them. */
    static final class Unwritable {

        public String getFirst() {
            return "written";
        }

        public String getSecond() {
            return List.<String>of().get(0);
        }
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailureCausesTheSameResponseAsWithoutAKeyAndFreesTheKey(Failure failure) {
        stand.desk.work = failure.work();

        Answer without = client.post("/unprotected/1").json("{}").send();
        Answer first = client.post("/desk/1").key("k").json("{}").send();
        int keys = stand.keys();
        stand.desk.work = (request, response) -> "done";
        Answer second = client.post("/desk/1").key("k").json("{}").send();

        assertThat(first.status()).isEqualTo(failure.status());
        assertThat(first.text().replace("/desk/1", "/unprotected/1").replaceFirst("\"timestamp\":\"[^\"]*\"", ""))
                .isEqualTo(without.text().replaceFirst("\"timestamp\":\"[^\"]*\"", ""));
        assertThat(first.lasting("content-length", "transfer-encoding"))
                .isEqualTo(without.lasting("content-length", "transfer-encoding"));
        assertThat(keys).isZero();
        assertThat(second.text()).isEqualTo("done");
        assertThat(second.isReplayed()).isFalse();
        assertThat(stand.desk.runs).hasValue(3);
    }

    @Test
    void aRequestThatIsNotValidFreesItsKey() {
        Answer refused = client.post("/typed?amount=much").key("k").send();
        Answer again = client.post("/typed?amount=much").key("k").send();

        assertThat(refused.status()).isEqualTo(400);
        assertThat(again.status()).isEqualTo(400);
        assertThat(again.isReplayed()).isFalse();
        assertThat(stand.keys()).isZero();
    }

    /** Flushed bytes stay in the buffer, because they become the reply only if the handler succeeds. */
    @Test
    void bytesFlushedBeforeAFailureAreNotSent() {
        stand.desk.work = (request, response) -> {
            response.getOutputStream().print("x".repeat(100_000));
            response.getOutputStream().flush();
            response.flushBuffer();
            throw new Desk.Trouble();
        };

        Answer answer = client.post("/raw/1").key("k").send();

        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.text()).isEqualTo("{\"trouble\":[\"POST\"]}");
    }

    /** Otherwise the client could get two different replies. */
    @Test
    void theReplyOfAPreviousOwnerIsNotSent() {
        stand.desk.work = (request, response) -> {
            stand.shop
                    .database()
                    .sql("UPDATE saga_idempotency_key SET token = token + 1000")
                    .update();
            response.addCookie(new Cookie("session", "secret"));
            response.setHeader("X-Filter", "changed");
            return ResponseEntity.created(URI.create("/accounts/7"))
                    .eTag("\"v1\"")
                    .body("secret");
        };

        Answer answer = client.post("/desk/1").key("k").send();

        answer.assertProblem(409, "SUPERSEDED");
        assertThat(answer.text()).doesNotContain("secret");
        assertThat(answer.headers().map()).doesNotContainKeys("location", "etag", "set-cookie", "retry-after");
        assertThat(answer.header("X-Filter")).isEqualTo("was here");
    }

    /** The client gets nothing before the reply is stored. In this test, storing fails. */
    @Test
    void aReplyThatCannotBeStoredIsNotSent() {
        stand.desk.work = (request, response) -> {
            stand.shop.interference().with(Loss.ofEveryAnswer(Statements.named("key.complete")));
            response.getOutputStream().print("x".repeat(100_000));
            response.flushBuffer();
            return null;
        };

        Answer answer = client.post("/raw/1").key("k").send();

        answer.assertProblem(503, "OutcomeUnknown");
        assertThat(answer.text()).doesNotContain("xxx");
    }

    @Test
    void aHandlerThatReturnsACallableAtRunTimeIsRefused() {
        AtomicReference<Boolean> ran = new AtomicReference<>(false);
        stand.desk.work = (request, response) -> (Callable<String>) () -> {
            ran.set(true);
            return "later";
        };

        Answer answer = client.post("/desk/1").key("k").send();

        assertThat(answer.status()).isEqualTo(500);
        assertThat(ran).hasValue(false);
        assertThat(stand.keys()).isZero();
    }

    @Test
    void aHandlerThatReturnsAViewAtRunTimeIsRefused() {
        stand.desk.work = (request, response) -> new ModelAndView("some-view");

        Answer answer = client.post("/desk/1").key("k").send();

        assertThat(answer.status()).isEqualTo(500);
        assertThat(stand.keys()).isZero();
    }

    @Test
    void aDisconnectedClientGetsItsReplyWhenItRetries() throws Exception {
        byte[] large = "x".repeat(Wiring.MAX_REPLY).getBytes(UTF_8);
        stand.desk.work = (request, response) -> large;
        Stand.Parked parked = stand.park();
        CountDownLatch ended = new CountDownLatch(1);
        stand.shop.bean(Wiring.Around.class).after.add(ended::countDown);
        try (Socket disconnected = client.connect()) {
            disconnected.getOutputStream().write(Http.wire("""
                    POST /desk/1 HTTP/1.1
                    Host: localhost
                    Content-Length: 0
                    Idempotency-Key: k

                    """));
            parked.awaitArrival();
            // With this setting, closing the socket resets the connection.
            disconnected.setSoLinger(true, 0);
        }
        parked.letGo();
        assertThat(ended.await(60, SECONDS)).isTrue();

        Answer retried = client.post("/desk/1").key("k").send();

        assertThat(retried.isReplayed()).isTrue();
        assertThat(retried.body().bytes()).isEqualTo(large);
        assertThat(stand.desk.runs).hasValue(1);
    }

    /** If a client disconnects before its request is complete, there is no request. */
    @Test
    void anIncompleteRequestClaimsNoKey() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        stand.shop.bean(Wiring.Around.class).after.add(ended::countDown);
        try (Socket disconnected = client.connect()) {
            disconnected.getOutputStream().write(Http.wire("""
                    POST /bytes/1 HTTP/1.1
                    Host: localhost
                    Content-Length: 100
                    Idempotency-Key: k

                    half"""));
        }
        assertThat(ended.await(60, SECONDS)).isTrue();

        assertThat(stand.desk.runs).hasValue(0);
        assertThat(stand.keys()).isZero();
    }

    /** The client may repeat the request as soon as it gets the failure. */
    @Test
    void aKeyIsFreedBeforeTheFailureIsSent() throws Exception {
        stand.desk.work = (request, response) -> ResponseEntity.status(503).body("x".repeat(100_000));
        Interference.Parked deletion = stand.shop.interference().park("saga:key.delete");

        CompletableFuture<Answer> first = io.sagaspring.shop.OwnThread.call(
                () -> client.post("/desk/1").key("k").send());
        deletion.awaitArrival();
        assertThat(first).isNotDone();
        deletion.letGo();

        assertThat(first.get(60, SECONDS).status()).isEqualTo(503);
        assertThat(stand.keys()).isZero();
    }
}
