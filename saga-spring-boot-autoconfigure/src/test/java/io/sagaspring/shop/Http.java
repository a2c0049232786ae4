package io.sagaspring.shop;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.OncePerRequestFilter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of a shop that has a web server. */
public final class Http {

    /** What a shop needs to be asked: a web server on a free port. */
    public static final String ON_ANY_PORT = "server.port=0";

    private final HttpClient client = HttpClient.newHttpClient();
    private final String root;
    private final @Nullable String user;

    public Http(Shop shop) {
        this.user = null;
        this.root = "http://localhost:"
                + shop.bean(Environment.class).getRequiredProperty("local.server.port", Integer.class);
    }

    private Http(String root, String user) {
        this.root = root;
        this.user = user;
    }

    /** The same client, for {@link Users}. */
    public Http as(String name) {
        return new Http(root, name);
    }

    /** Names the user of a request as a container would that has authenticated it. */
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

    /** An answer as it came. */
    public record Answer(int status, String contentType, String text) {

        public JsonNode json() {
            return JsonMapper.shared().readTree(text);
        }
    }

    public Answer get(String path) throws IOException, InterruptedException {
        return send("GET", path, "*/*");
    }

    public Answer get(String path, String accept) throws IOException, InterruptedException {
        return send("GET", path, accept);
    }

    public Answer send(String method, String path) throws IOException, InterruptedException {
        return send(method, path, "*/*");
    }

    public Answer send(String method, String path, String accept) throws IOException, InterruptedException {
        return send(request(path, accept).method(method, BodyPublishers.noBody()));
    }

    /** A {@code POST} of JSON. */
    public Answer post(String path, String json) throws IOException, InterruptedException {
        return send(
                request(path, "*/*").header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    private HttpRequest.Builder request(String path, String accept) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(root + path))
                .header("Accept", accept)
                .timeout(Duration.ofSeconds(30));
        return user == null ? request : request.header(Users.HEADER, URLEncoder.encode(user, StandardCharsets.UTF_8));
    }

    private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
        var response = client.send(request.build(), BodyHandlers.ofString());
        return new Answer(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                response.body());
    }
}
