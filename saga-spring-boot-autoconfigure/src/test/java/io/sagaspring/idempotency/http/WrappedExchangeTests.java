package io.sagaspring.idempotency.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.shop.Http;
import io.sagaspring.shop.Http.Answer;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/** Tests the wrapped request and response that a handler with a key gets from a real server. */
class WrappedExchangeTests {

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
    void bytesWrittenByAHandlerAreReplayed() {
        stand.desk.work = (request, response) -> {
            response.setStatus(202);
            response.setContentType("text/csv;charset=UTF-8");
            response.setContentLength(8);
            response.getOutputStream().write("a;ä".getBytes(UTF_8));
            response.flushBuffer();
            response.getOutputStream().print("\nb;");
            response.getOutputStream().write('c');
            return null;
        };

        Answer first = client.post("/raw/1").key("k").send();
        Answer second = client.post("/raw/1").key("k").send();

        assertThat(first.status()).isEqualTo(202);
        assertThat(first.text()).isEqualTo("a;ä\nb;c");
        assertThat(second.isReplayed()).isTrue();
        assertThat(second.status()).isEqualTo(202);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.lasting()).isEqualTo(first.lasting());
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain;charset=UTF-8", "text/plain;charset=ISO-8859-15", "text/plain"})
    void printedTextIsReplayedInItsEncoding(String type) {
        stand.desk.work = (request, response) -> {
            response.setContentType(type);
            response.getWriter().print("grün");
            // The server ignores an encoding that is set after getWriter().
            response.setCharacterEncoding("UTF-16");
            return null;
        };

        Answer without = client.post("/raw/1").send();
        Answer first = client.post("/raw/1").key("k").send();
        Answer second = client.post("/raw/1").key("k").send();

        assertThat(first.body()).isEqualTo(without.body());
        assertThat(first.header("Content-Type")).isEqualTo(without.header("Content-Type"));
        assertThat(second.isReplayed()).isTrue();
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.lasting()).isEqualTo(first.lasting());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bytesWrittenBeforeAResetAreNotReplayed(boolean withHeaders) {
        stand.desk.work = (request, response) -> {
            response.setHeader("Location", "/wrong");
            response.getOutputStream().print("wrong");
            if (withHeaders) {
                response.reset();
                response.getWriter().print("right");
            } else {
                response.resetBuffer();
                response.getOutputStream().print("right");
            }
            return null;
        };

        Answer first = client.post("/raw/1").key("k").send();
        Answer second = client.post("/raw/1").key("k").send();

        assertThat(first.text()).isEqualTo("right");
        assertThat(second.isReplayed()).isTrue();
        assertThat(second.text()).isEqualTo("right");
        assertThat(second.header("Location")).isEqualTo(withHeaders ? "" : "/wrong");
    }

    /** A reset also drops text that is still in the writer's own buffer. */
    @Test
    void printedTextIsDroppedWhenTheBufferIsReset() {
        stand.desk.work = (request, response) -> {
            response.getWriter().print("wrong");
            response.resetBuffer();
            response.getWriter().print("right");
            return null;
        };

        assertThat(client.post("/raw/1").key("k").send().text()).isEqualTo("right");
    }

    /** The request and response that are injected into a bean delegate to the handler's parameters. */
    @Test
    void theInjectedRequestAndResponseAreThoseOfTheHandler() {
        AtomicReference<String> read = new AtomicReference<>();
        stand.desk.work = (request, response) -> {
            read.set(new String(stand.desk.injectedRequest().getInputStream().readAllBytes(), UTF_8));
            stand.desk.injectedRequest().setAttribute("seen", "by all");
            stand.desk.injectedResponse().getWriter().print(request.getAttribute("seen"));
            return null;
        };

        Answer first = client.post("/raw/1").key("k").json("{\"a\":1}").send();
        Answer second = client.post("/raw/1").key("k").json("{\"a\":1}").send();

        assertThat(read).hasValue("{\"a\":1}");
        assertThat(first.text()).isEqualTo("by all");
        assertThat(second.isReplayed()).isTrue();
        assertThat(second.body()).isEqualTo(first.body());
    }

    @Test
    void theHandlerReadsTheBodyThatWasSent() {
        byte[] all = new byte[256];
        for (int each = 0; each < all.length; each++) {
            all[each] = (byte) each;
        }

        assertThat(client.post("/bytes/1")
                        .key("k")
                        .body("application/octet-stream", all)
                        .send()
                        .body()
                        .bytes())
                .isEqualTo(all);
        assertThat(client.post("/bytes/1").key("l").chunked(all).send().body().bytes())
                .isEqualTo(all);
        assertThat(client.post("/bytes/1").key("m").send().text()).isEmpty();
    }

    @Test
    void theHandlerReadsTextInItsEncoding() {
        AtomicReference<String> read = new AtomicReference<>();
        stand.desk.work = (request, response) -> {
            read.set(request.getReader().readLine());
            return null;
        };

        client.post("/raw/1")
                .key("k")
                .body("text/plain;charset=UTF-8", "grün".getBytes(UTF_8))
                .send();

        assertThat(read).hasValue("grün");
    }

    static List<Desk.Work> lengths() {
        return List.of(
                (request, response) -> {
                    response.setContentLength(4);
                    throw new Desk.Trouble();
                },
                (request, response) -> {
                    response.setContentLengthLong(4);
                    throw new Desk.Trouble();
                },
                (request, response) -> {
                    response.setHeader("Content-Length", "4");
                    throw new Desk.Trouble();
                },
                (request, response) -> {
                    response.addHeader("content-length", "4");
                    throw new Desk.Trouble();
                },
                (request, response) -> {
                    response.setIntHeader("Content-Length", 4);
                    throw new Desk.Trouble();
                },
                (request, response) -> {
                    response.addIntHeader("Content-Length", 4);
                    throw new Desk.Trouble();
                });
    }

    /** The content length of the discarded reply must not be sent with the response that replaces the reply. */
    @ParameterizedTest
    @MethodSource("lengths")
    void theLengthOfADiscardedReplyIsNotSent(Desk.Work work) {
        stand.desk.work = work;

        assertThat(client.post("/raw/1").key("k").send().text()).isEqualTo("{\"trouble\":[\"POST\"]}");
    }

    @Test
    void aHandlerThatStartsAnAsynchronousResponseIsRefused() {
        AtomicReference<String> message = new AtomicReference<>();
        AtomicReference<Boolean> supported = new AtomicReference<>(true);
        stand.desk.work = (request, response) -> {
            supported.set(request.isAsyncSupported());
            try {
                return request.startAsync();
            } catch (IllegalStateException refused) {
                message.set(String.valueOf(refused.getMessage()));
                throw refused;
            }
        };

        Answer answer = client.post("/desk/1").key("k").send();

        assertThat(answer.status()).isEqualTo(500);
        assertThat(supported).hasValue(false);
        assertThat(message.get()).contains("cannot answer asynchronously");
        assertThat(stand.keys()).isZero();
    }

    /** The reply did not pass through the wrappers. It cannot be replayed, and the work must not be repeated. */
    @Test
    void aReplyWrittenPastTheWrappersIsNotReplayed() {
        HttpServletResponse[] server = new HttpServletResponse[1];
        stand.desk.work = (request, response) -> {
            HttpServletResponse inner = response;
            while (inner instanceof jakarta.servlet.http.HttpServletResponseWrapper wrapper) {
                inner = (HttpServletResponse) wrapper.getResponse();
            }
            server[0] = inner;
            inner.getOutputStream().print("past");
            inner.flushBuffer();
            return null;
        };

        Answer first = client.post("/raw/1").key("k").send();
        Answer second = client.post("/raw/1").key("k").send();

        assertThat(first.text()).isEqualTo("past");
        second.assertProblem(409, "REPLY_NOT_KEPT");
        assertThat(stand.desk.runs).hasValue(1);
    }

    /** Objects in the request scope are destroyed at the end of the request, after the handler has returned. */
    @Test
    void aDestructionCallbackRunsWhenTheRequestEnds() throws Exception {
        List<String> done = new CopyOnWriteArrayList<>();
        CountDownLatch ended = new CountDownLatch(1);
        stand.shop.bean(Wiring.Around.class).after.add(() -> {
            done.add("response");
            ended.countDown();
        });
        stand.desk.work = (request, response) -> {
            RequestContextHolder.currentRequestAttributes()
                    .registerDestructionCallback("any", () -> done.add("destroyed"), RequestAttributes.SCOPE_REQUEST);
            done.add("handled");
            return null;
        };

        client.post("/desk/1").key("k").send();

        assertThat(ended.await(60, SECONDS)).isTrue();
        assertThat(done).containsExactly("handled", "destroyed", "response");
    }
}
