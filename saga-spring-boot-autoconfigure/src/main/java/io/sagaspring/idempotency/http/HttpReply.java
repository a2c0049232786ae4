package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.StoredReply;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.http.HttpHeaders;

/**
 * The stored form of a response. The head has a line with the status and one line for each value of a replayed header.
 * All characters except visible ASCII and spaces are escaped, so that no value can contain a line break.
 */
final class HttpReply {

    static final String REPLAYED = "Idempotent-Replayed";

    private static final String FORMAT = "http";
    private static final HexFormat HEX = HexFormat.of();

    private HttpReply() {}

    /** Converts an unsent response to the reply to store, or to a substitute if the response cannot be stored. */
    static StoredReply of(BufferedResponse response, HttpSettings settings) {
        if (response.isBypassed()) {
            return StoredReply.notKept(
                    "its handler bypassed the library's response wrapper and wrote directly to the server's response.");
        }
        if (response.size() > settings.maxReplySize()) {
            return StoredReply.notKept("its body has %d bytes, and at most %d are stored."
                    .formatted(response.size(), settings.maxReplySize()));
        }
        StringBuilder head = new StringBuilder().append(response.getStatus());
        byte[] body = response.body();
        for (String name : settings.headers()) {
            for (String value : values(response, name)) {
                head.append('\n').append(name).append(": ").append(escaped(value));
            }
        }
        return new StoredReply(FORMAT, head.toString(), body);
    }

    private static Collection<String> values(HttpServletResponse response, String name) {
        if (!name.equalsIgnoreCase("Content-Type")) {
            return response.getHeaders(name);
        }
        String type = response.getContentType();
        return type == null ? List.of() : List.of(type);
    }

    /** Answers with a stored response. */
    static void replay(StoredReply reply, HttpServletResponse response) throws IOException {
        if (!reply.format().equals(FORMAT)) {
            throw new IllegalStateException(
                    "The stored reply to this idempotency key has the format '%s', so it is not from a web request. An operation outside the web uses the same operation name as this handler. Give one of them another name."
                            .formatted(reply.format()));
        }
        List<String> lines = Objects.requireNonNull(reply.head()).lines().toList();
        response.setStatus(Integer.parseInt(lines.get(0)));
        Set<String> begun = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(": ");
            String name = line.substring(0, colon);
            String value = unescaped(line.substring(colon + 2));
            if (name.equalsIgnoreCase(HttpHeaders.VARY)) {
                addIfMissing(response, value);
            } else if (begun.add(name)) {
                response.setHeader(name, value);
            } else {
                response.addHeader(name, value);
            }
        }
        response.setHeader(REPLAYED, "true");
        BufferedResponse.send(Objects.requireNonNull(reply.body()), response);
    }

    /** Adds a value of {@code Vary} unless a filter has set that value before the replay. */
    private static void addIfMissing(HttpServletResponse response, String varies) {
        if (response.getHeaders(HttpHeaders.VARY).stream().noneMatch(varies::equalsIgnoreCase)) {
            response.addHeader(HttpHeaders.VARY, varies);
        }
    }

    static String escaped(String value) {
        StringBuilder escaped = new StringBuilder();
        for (int at = 0; at < value.length(); at++) {
            char each = value.charAt(at);
            if (each >= ' ' && each <= '~' && each != '\\') {
                escaped.append(each);
            } else {
                escaped.append('\\').append(HEX.toHexDigits(each));
            }
        }
        return escaped.toString();
    }

    static String unescaped(String escaped) {
        StringBuilder value = new StringBuilder();
        for (int at = 0; at < escaped.length(); at++) {
            char each = escaped.charAt(at);
            if (each == '\\') {
                value.append((char) HexFormat.fromHexDigits(escaped, at + 1, at + 5));
                at += 4;
            } else {
                value.append(each);
            }
        }
        return value.toString();
    }
}
