package io.sagaspring.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.shop.Shop;
import java.io.ByteArrayOutputStream;
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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client that sees every header and every byte. */
final class Client {

    private final HttpClient client = HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final int port;

    Client(Shop shop) {
        this.port = shop.bean(Environment.class).getRequiredProperty("local.server.port", Integer.class);
    }

    /** An answer as it came. */
    record Answer(int status, HttpHeaders headers, Bytes body) {

        String header(String name) {
            return String.join(" | ", headers.allValues(name));
        }

        String text() {
            return new String(body.bytes(), StandardCharsets.UTF_8);
        }

        boolean isReplayed() {
            return header("Idempotent-Replayed").equals("true");
        }

        /** All but what belongs to each answer anew. */
        Map<String, List<String>> lasting(String... except) {
            Map<String, List<String>> lasting = new TreeMap<>(headers.map());
            lasting.keySet().removeAll(List.of("date", "idempotent-replayed", "keep-alive", "connection"));
            lasting.keySet().removeAll(List.of(except));
            return lasting;
        }

        void assertProblem(int expected, String outcome) {
            assertThat(status).as(text()).isEqualTo(expected);
            assertThat(header("Content-Type")).isEqualTo("application/problem+json");
            JsonNode problem = JsonMapper.shared().readTree(text());
            assertThat(problem.path("outcome").asString()).isEqualTo(outcome);
            assertThat(problem.path("status").asInt()).isEqualTo(expected);
            assertThat(problem.path("detail").asString()).isNotEmpty();
        }
    }

    /** Bytes that are equal when they are the same. */
    record Bytes(String latin) {

        static Bytes of(byte[] bytes) {
            return new Bytes(new String(bytes, StandardCharsets.ISO_8859_1));
        }

        byte[] bytes() {
            return latin.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /** A request that is being written. */
    final class Asked {

        private final HttpRequest.Builder request;
        private final String method;
        private HttpRequest.BodyPublisher body = BodyPublishers.noBody();

        private Asked(String method, String path) {
            this.method = method;
            this.request = HttpRequest.newBuilder(URI.create("http://localhost:%d%s".formatted(port, path)))
                    .timeout(Duration.ofSeconds(60));
        }

        Asked key(String key) {
            return header("Idempotency-Key", key);
        }

        Asked header(String name, String value) {
            request.header(name, value);
            return this;
        }

        Asked json(String text) {
            return body("application/json", text.getBytes(StandardCharsets.UTF_8));
        }

        Asked form(String text) {
            return body("application/x-www-form-urlencoded", text.getBytes(StandardCharsets.US_ASCII));
        }

        Asked body(String type, byte[] bytes) {
            body = BodyPublishers.ofByteArray(bytes);
            return header("Content-Type", type);
        }

        /** Without a Content-Length. */
        Asked chunked(byte[] bytes) {
            body = BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(bytes));
            return header("Content-Type", "application/octet-stream");
        }

        Answer send() {
            try {
                HttpResponse<byte[]> answer =
                        client.send(request.method(method, body).build(), BodyHandlers.ofByteArray());
                return new Answer(answer.statusCode(), answer.headers(), Bytes.of(answer.body()));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(interrupted);
            }
        }
    }

    Asked post(String path) {
        return new Asked("POST", path);
    }

    Asked ask(String method, String path) {
        return new Asked(method, path);
    }

    /** Sends exactly these lines, and returns what comes back until it has this text, or ends. */
    String raw(String lines, String until) throws IOException {
        try (Socket socket = connect()) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(wire(lines));
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            for (int read = 0;
                    read >= 0 && !answer.toString(StandardCharsets.UTF_8).contains(until); ) {
                read = socket.getInputStream().read();
                answer.write(read);
            }
            return answer.toString(StandardCharsets.UTF_8);
        }
    }

    static byte[] wire(String lines) {
        return lines.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8);
    }

    /** A connection for a client that will not wait for its answer. */
    Socket connect() throws IOException {
        return new Socket("localhost", port);
    }
}
