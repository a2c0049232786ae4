package io.sagaspring.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** Calls the sample over HTTP, as any other client does. */
public final class Api {

    private static final JsonMapper json = new JsonMapper();
    private static final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final int port;

    public Api(int port) {
        this.port = port;
    }

    /** A response of the sample. {@code raw} has one character for each byte of the body. */
    public record Answer(int status, HttpHeaders headers, String raw, JsonNode body) {

        public String header(String name) {
            return headers.firstValue(name).orElse("");
        }

        public String type() {
            return header("Content-Type");
        }

        public String location() {
            return header("Location");
        }

        public boolean isReplay() {
            return header("Idempotent-Replayed").equals("true");
        }

        public String text(String member) {
            return body.path(member).asString("");
        }

        /** Requires that the response is a problem with every member that clients rely on. */
        public Answer requireProblem(int expected, String outcome) {
            assertThat(status).as(body::toString).isEqualTo(expected);
            assertThat(type()).isEqualTo("application/problem+json");
            assertThat(body.propertyNames()).contains("type", "title", "status", "detail");
            assertThat(body.path("status").asInt()).isEqualTo(expected);
            assertThat(text("detail")).isNotBlank();
            assertThat(text("outcome")).isEqualTo(outcome);
            assertThat(body.toString()).doesNotContain("Exception", "Error:", "java.", "SELECT", "constraint");
            return this;
        }

        public List<String> texts(String member) {
            return body.valueStream().map(each -> each.path(member).asString()).toList();
        }
    }

    public Answer get(String path) {
        return send(request(path).GET()).join();
    }

    public Answer post(String path, String body, String... headers) {
        return posted(path, body, headers).join();
    }

    public Answer step(String path, String... headers) {
        return started(path, headers).join();
    }

    /** Calls a step without waiting for the response. */
    public CompletableFuture<Answer> started(String path, String... headers) {
        return send(with(request(path), headers).POST(BodyPublishers.noBody()));
    }

    public CompletableFuture<Answer> posted(String path, String body, String... headers) {
        return send(with(request(path), headers)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    public Answer call(String method, String path, String... headers) {
        return send(with(request(path), headers).method(method, BodyPublishers.noBody()))
                .join();
    }

    /** Opens a billing with these invoices, each over 1200 cents. */
    public JsonNode open(String... invoices) {
        String lines = String.join(
                ",",
                Arrays.stream(invoices)
                        .map("{\"number\":\"%s\",\"amountCents\":1200,\"customer\":\"ada@example.org\"}"::formatted)
                        .toList());
        return post("/api/billings", "{\"period\":\"2026-11\",\"invoices\":[%s]}".formatted(lines))
                .body();
    }

    /** Returns the address of a new approved billing with these invoices. */
    public String approved(String... invoices) {
        String billing = "/api/billings/" + open(invoices).path("id").asLong();
        step(billing + "/steps/approve");
        return billing;
    }

    /** Returns the address of an invoice with this number in a new billing. */
    public String invoice(String number) {
        return "/api/invoices/" + open(number).at("/invoices/0/id").asLong();
    }

    /** Returns the address of a new, empty account. */
    public String account(String owner) {
        return post("/api/accounts", "{\"owner\":\"%s\"}".formatted(owner)).location();
    }

    public Answer mails(String invoice) {
        return get("/api/effects?kind=email&ref=" + invoice);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:%d%s".formatted(port, path)))
                .timeout(Duration.ofSeconds(60));
    }

    private static HttpRequest.Builder with(HttpRequest.Builder request, String... headers) {
        return headers.length == 0 ? request : request.headers(headers);
    }

    private static CompletableFuture<Answer> send(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofByteArray()).thenApply(Api::answer);
    }

    private static Answer answer(HttpResponse<byte[]> response) {
        byte[] body = response.body();
        return new Answer(
                response.statusCode(),
                response.headers(),
                new String(body, StandardCharsets.ISO_8859_1),
                body.length == 0 ? MissingNode.getInstance() : json.readTree(body));
    }

    /** Sends a request that no client library would send, and returns the whole response. */
    public String raw(String request) {
        try (Socket socket = new Socket("localhost", port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
