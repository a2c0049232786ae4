package io.sagaspring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.OncePerRequestFilter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An HTTP client of a shop that has a web server. The client sees every header and every byte of a response. */
public final class Http {

    /** The setting with which a shop serves requests on a free port. */
    public static final String ON_ANY_PORT = "server.port=0";

    private static final String ANYTHING = "*/*";

    private final HttpClient client = HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final int port;
    private final @Nullable String user;

    public Http(Shop shop) {
        this(shop.bean(Environment.class).getRequiredProperty("local.server.port", Integer.class), null);
    }

    private Http(int port, @Nullable String user) {
        this.port = port;
        this.user = user;
    }

    /** Returns a client whose requests carry the name of this user, which {@link Users} reads. */
    public Http as(String name) {
        return new Http(port, name);
    }

    /** Sets the user of a request, as a container does that authenticates the request. */
    public static final class Users extends OncePerRequestFilter {

        private static final String HEADER = "X-User";

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            String encoded = request.getHeader(HEADER);
            chain.doFilter(encoded == null ? request : named(request, encoded), response);
        }

        private static HttpServletRequest named(HttpServletRequest request, String encoded) {
            return new HttpServletRequestWrapper(request) {
                @Override
                public Principal getUserPrincipal() {
                    return () -> URLDecoder.decode(encoded, StandardCharsets.UTF_8);
                }
            };
        }
    }

    /** A response exactly as it was received. */
    public record Answer(int status, HttpHeaders headers, Bytes body) {

        public String header(String name) {
            return String.join(" | ", headers.allValues(name));
        }

        public String contentType() {
            return header("Content-Type");
        }

        public String text() {
            return new String(body.bytes(), StandardCharsets.UTF_8);
        }

        public JsonNode json() {
            return JsonMapper.shared().readTree(text());
        }

        public boolean isReplayed() {
            return header("Idempotent-Replayed").equals("true");
        }

        /** Returns the headers that a replayed response repeats, but not the headers that are new in each response. */
        public Map<String, List<String>> lasting(String... except) {
            Map<String, List<String>> lasting = new TreeMap<>(headers.map());
            lasting.keySet().removeAll(List.of("date", "idempotent-replayed", "keep-alive", "connection"));
            lasting.keySet().removeAll(List.of(except));
            return lasting;
        }

        public void assertProblem(int expected, String outcome) {
            assertThat(status).as(text()).isEqualTo(expected);
            assertThat(contentType()).isEqualTo("application/problem+json");
            JsonNode problem = json();
            assertThat(problem.path("outcome").asString()).isEqualTo(outcome);
            assertThat(problem.path("status").asInt()).isEqualTo(expected);
            assertThat(problem.path("detail").asString()).isNotEmpty();
        }
    }

    /** Bytes with value equality. */
    public record Bytes(String latin) {

        static Bytes of(byte[] bytes) {
            return new Bytes(new String(bytes, StandardCharsets.ISO_8859_1));
        }

        public byte[] bytes() {
            return latin.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /** A request that is being built. */
    public final class Asked {

        private final HttpRequest.Builder request;
        private final String method;
        private HttpRequest.BodyPublisher body = BodyPublishers.noBody();

        private Asked(String method, String path) {
            this.method = method;
            this.request = HttpRequest.newBuilder(URI.create("http://localhost:%s%s".formatted(port, path)))
                    .timeout(Duration.ofSeconds(60));
            if (user != null) {
                request.header(Users.HEADER, URLEncoder.encode(user, StandardCharsets.UTF_8));
            }
        }

        public Asked key(String key) {
            return header("Idempotency-Key", key);
        }

        public Asked header(String name, String value) {
            request.header(name, value);
            return this;
        }

        public Asked json(String text) {
            return body("application/json", text.getBytes(StandardCharsets.UTF_8));
        }

        public Asked form(String text) {
            return body("application/x-www-form-urlencoded", text.getBytes(StandardCharsets.US_ASCII));
        }

        public Asked body(String type, byte[] bytes) {
            body = BodyPublishers.ofByteArray(bytes);
            return header("Content-Type", type);
        }

        /** Sends the body without a Content-Length. */
        public Asked chunked(byte[] bytes) {
            body = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes));
            return header("Content-Type", "application/octet-stream");
        }

        public Answer send() {
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

    /** Begins a request. Call {@link Asked#send} to send it. */
    public Asked ask(String method, String path) {
        return new Asked(method, path);
    }

    public Asked post(String path) {
        return ask("POST", path);
    }

    public Answer get(String path) {
        return get(path, ANYTHING);
    }

    public Answer get(String path, String accept) {
        return send("GET", path, accept);
    }

    public Answer send(String method, String path) {
        return send(method, path, ANYTHING);
    }

    public Answer send(String method, String path, String accept) {
        return ask(method, path).header("Accept", accept).send();
    }

    /** Sends JSON with {@code POST}. */
    public Answer post(String path, String json) {
        return post(path).header("Accept", ANYTHING).json(json).send();
    }

    /**
     * Sends exactly these lines, and returns the response up to the given text, or the whole response if it does not
     * contain the text.
     */
    public String raw(String lines, String until) throws IOException {
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

    public static byte[] wire(String lines) {
        return lines.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Opens a connection for a client that does not wait for its response. */
    public Socket connect() throws IOException {
        return new Socket("localhost", port);
    }
}
