package io.sagaspring.dashboard;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** A proxy that removes a prefix from each path. It has no other address, so an absolute path of the page fails. */
final class StrippingProxy implements AutoCloseable {

    private final HttpClient client = HttpClient.newHttpClient();
    private final HttpServer server;

    private StrippingProxy(HttpServer server) {
        this.server = server;
    }

    static StrippingProxy start(String prefix, Function<String, HttpResponse<String>> target) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(prefix + "/", exchange -> forward(exchange, prefix, target));
        server.start();
        return new StrippingProxy(server);
    }

    private static void forward(HttpExchange exchange, String prefix, Function<String, HttpResponse<String>> target)
            throws IOException {
        HttpResponse<String> answer =
                target.apply(exchange.getRequestURI().toString().substring(prefix.length()));
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        answer.headers()
                .firstValue("Location")
                .ifPresent(to -> exchange.getResponseHeaders().set("Location", to));
        exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    HttpResponse<String> get(String path) throws IOException {
        URI address =
                URI.create("http://localhost:%d%s".formatted(server.getAddress().getPort(), path));
        try {
            return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
