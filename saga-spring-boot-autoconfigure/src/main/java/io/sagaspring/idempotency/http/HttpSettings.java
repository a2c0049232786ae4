package io.sagaspring.idempotency.http;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * The settings of idempotent handlers.
 *
 * @param maxRequestSize the largest body of a request with a key, in bytes
 * @param maxReplySize the largest body that is stored, in bytes; a larger body is sent but cannot be replayed
 * @param headers the response headers that are replayed; {@code Content-Type} and {@code Content-Encoding} are always
 *     replayed, because clients need them to read the body
 * @since 0.1.0
 */
public record HttpSettings(int maxRequestSize, int maxReplySize, Set<String> headers) {

    /**
     * The headers that are replayed by default. They describe the body, or restrict how a browser uses it. None of them
     * belongs to a single request, as a cookie, a date or a trace id does.
     */
    public static final Set<String> DEFAULT_HEADERS = Set.of(
            "Cache-Control",
            "Content-Disposition",
            "Content-Language",
            "Content-Location",
            "Content-Security-Policy",
            "Content-Security-Policy-Report-Only",
            "Content-Type",
            "Cross-Origin-Embedder-Policy",
            "Cross-Origin-Opener-Policy",
            "Cross-Origin-Resource-Policy",
            "ETag",
            "Last-Modified",
            "Link",
            "Location",
            "Permissions-Policy",
            "Referrer-Policy",
            "Vary",
            "X-Content-Type-Options",
            "X-Frame-Options");

    private static final Set<String> BODY_HEADERS = Set.of("Content-Type", "Content-Encoding");
    private static final Set<String> CONNECTION_HEADERS = withoutCase(Set.of(
            "Connection",
            "Content-Length",
            "Date",
            "Keep-Alive",
            "Trailer",
            "Transfer-Encoding",
            "Upgrade",
            HttpReply.REPLAYED));

    /**
     * Checks the settings.
     *
     * @param maxRequestSize the largest body of a request with a key, in bytes
     * @param maxReplySize the largest body that is stored, in bytes
     * @param headers the response headers that are replayed
     * @throws IllegalArgumentException if a size is not positive, or a header cannot be replayed
     */
    public HttpSettings {
        if (maxRequestSize < 1 || maxReplySize < 1) {
            throw new IllegalArgumentException(
                    "The limits for the request and the reply of an idempotent handler must be at least 1 byte. Found: %d bytes for the request and %d bytes for the reply."
                            .formatted(maxRequestSize, maxReplySize));
        }
        Set<String> all = withoutCase(headers);
        for (String name : all) {
            if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+") || CONNECTION_HEADERS.contains(name)) {
                throw new IllegalArgumentException(
                        "The header '%s' cannot be replayed. It is not a valid header name, or the server or this library sets it. Remove it from the replayed headers."
                                .formatted(name));
            }
        }
        all.addAll(BODY_HEADERS);
        headers = Collections.unmodifiableSet(all);
    }

    private static Set<String> withoutCase(Set<String> names) {
        Set<String> sorted = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        sorted.addAll(names);
        return sorted;
    }
}
