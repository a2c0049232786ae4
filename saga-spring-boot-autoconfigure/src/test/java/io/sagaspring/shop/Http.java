package io.sagaspring.shop;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of a shop that has a web server. */
public final class Http {

    /** What a shop needs to be asked: a web server on a free port. */
    public static final String ON_ANY_PORT = "server.port=0";

    private final HttpClient client = HttpClient.newHttpClient();
    private final String root;

    public Http(Shop shop) {
        this.root = "http://localhost:"
                + shop.bean(Environment.class).getRequiredProperty("local.server.port", Integer.class);
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
        HttpRequest request = HttpRequest.newBuilder(URI.create(root + path))
                .method(method, BodyPublishers.noBody())
                .header("Accept", accept)
                .timeout(Duration.ofSeconds(30))
                .build();
        var response = client.send(request, BodyHandlers.ofString());
        return new Answer(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                response.body());
    }
}
