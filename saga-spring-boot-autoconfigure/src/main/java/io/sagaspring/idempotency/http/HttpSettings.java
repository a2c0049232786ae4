package io.sagaspring.idempotency.http;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * What may be set.
 *
 * @param maxRequestSize how many bytes the body of a request with a key may have
 * @param maxReplySize how many bytes of a body are stored; a larger one is sent and cannot be replayed
 * @param headers which headers of a response are replayed. {@code Content-Type} and {@code Content-Encoding} always are,
 *     because the body means nothing without them
 * @since 0.1.0
 */
public record HttpSettings(int maxRequestSize, int maxReplySize, Set<String> headers) {

    /**
     * The headers that are replayed where nothing else is set: what a reader needs to understand the body, and what keeps a
     * browser from misusing it. None is of one request only, such as a cookie, a date or the id of a trace.
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

    private static final Set<String> OF_THE_BODY = Set.of("Content-Type", "Content-Encoding");
    private static final Set<String> OF_THE_CONNECTION = withoutCase(Set.of(
            "Connection",
            "Content-Length",
            "Date",
            "Keep-Alive",
            "Trailer",
            "Transfer-Encoding",
            "Upgrade",
            HttpReply.REPLAYED));

    /**
     * Checks what is set.
     *
     * @param maxRequestSize how many bytes the body of a request with a key may have
     * @param maxReplySize how many bytes of a body are stored
     * @param headers which headers of a response are replayed
     * @throws IllegalArgumentException if a size is not positive, or a header cannot be replayed
     */
    public HttpSettings {
        if (maxRequestSize < 1 || maxReplySize < 1) {
            throw new IllegalArgumentException(
                    "The largest request of an idempotent handler and its largest reply must be positive, not %d and %d."
                            .formatted(maxRequestSize, maxReplySize));
        }
        Set<String> all = withoutCase(headers);
        for (String name : all) {
            if (!name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+") || OF_THE_CONNECTION.contains(name)) {
                throw new IllegalArgumentException(
                        "'%s' cannot be a header that is replayed: it is no name of a header, or belongs to each response anew."
                                .formatted(name));
            }
        }
        all.addAll(OF_THE_BODY);
        headers = Collections.unmodifiableSet(all);
    }

    private static Set<String> withoutCase(Set<String> names) {
        Set<String> sorted = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        sorted.addAll(names);
        return sorted;
    }
}
