package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.InvalidKeyException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.ServletRequestBindingException;

/**
 * A request whose body was read into memory, so that the handler can read it again. The body of a form is read in the
 * same way, and the form's parameters are the ones that the server would have read.
 */
final class BufferedRequest extends HttpServletRequestWrapper {

    private final byte[] body;
    private final @Nullable Map<String, String[]> parameters;
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;

    private BufferedRequest(HttpServletRequest request, byte[] body, @Nullable Map<String, String[]> parameters) {
        super(request);
        this.body = body;
        this.parameters = parameters;
    }

    /** Reads the body of a request, up to a limit in bytes. */
    static BufferedRequest of(HttpServletRequest request, int limit)
            throws IOException, ServletRequestBindingException {
        if (mediaType(request).startsWith("multipart/")) {
            throw new InvalidKeyException(
                    "A multipart request cannot have an Idempotency-Key. Send each part as a request of its own.");
        }
        if (request.getContentLengthLong() > limit) {
            throw new RequestTooLargeException(limit);
        }
        byte[] body = request.getInputStream().readNBytes(limit == Integer.MAX_VALUE ? limit : limit + 1);
        if (body.length > limit) {
            throw new RequestTooLargeException(limit);
        }
        // If a filter has read a parameter, the server has already read the form, and the body is empty.
        boolean unread = body.length > 0 && isFormPost(request);
        return new BufferedRequest(request, body, unread ? parameters(request, body) : null);
    }

    byte[] body() {
        return body;
    }

    /** Returns the media type of the body without parameters, in lower case. */
    static String mediaType(HttpServletRequest request) {
        String type = request.getContentType();
        if (type == null) {
            return "";
        }
        int end = type.indexOf(';');
        return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    }

    static boolean isForm(HttpServletRequest request) {
        return mediaType(request).equals("application/x-www-form-urlencoded");
    }

    /** Returns true for a form that is sent with POST. For other methods, a server does not read the form. */
    static boolean isFormPost(HttpServletRequest request) {
        return isForm(request) && request.getMethod().equals("POST");
    }

    /** Reads the parameters of the query and then those of the body, in the same order as a server. */
    private static Map<String, String[]> parameters(HttpServletRequest request, byte[] body)
            throws ServletRequestBindingException {
        Map<String, String[]> all = new LinkedHashMap<>(request.getParameterMap());
        Charset charset = charset(request);
        try {
            for (String pair : StringUtils.tokenizeToStringArray(new String(body, charset), "&")) {
                int sign = pair.indexOf('=');
                String name = URLDecoder.decode(sign < 0 ? pair : pair.substring(0, sign), charset);
                String value = sign < 0 ? "" : URLDecoder.decode(pair.substring(sign + 1), charset);
                all.merge(
                        name,
                        new String[] {value},
                        (before, more) ->
                                Stream.of(before, more).flatMap(Arrays::stream).toArray(String[]::new));
            }
        } catch (IllegalArgumentException undecodable) {
            throw new ServletRequestBindingException("The form in the body of the request is malformed.", undecodable);
        }
        return Collections.unmodifiableMap(all);
    }

    private static Charset charset(HttpServletRequest request) {
        String name = request.getCharacterEncoding();
        try {
            return name == null ? StandardCharsets.ISO_8859_1 : Charset.forName(name);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException unknown) {
            return StandardCharsets.ISO_8859_1;
        }
    }

    @Override
    public ServletInputStream getInputStream() {
        if (stream == null) {
            stream = new BodyStream(body);
        }
        return stream;
    }

    @Override
    public BufferedReader getReader() {
        if (reader == null) {
            reader = new BufferedReader(
                    new InputStreamReader(new ByteArrayInputStream(body), charset((HttpServletRequest) getRequest())));
        }
        return reader;
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        return parameters == null ? super.getParameterMap() : parameters;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterMap().get(name);
        return values == null || values.length == 0 ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values.clone();
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    @Override
    public boolean isAsyncSupported() {
        return false;
    }

    @Override
    public AsyncContext startAsync() {
        throw new IllegalStateException(
                "An idempotent handler cannot answer asynchronously, because its reply is stored before the client gets it. Return the value itself.");
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return startAsync();
    }

    private static final class BodyStream extends ServletInputStream {

        private final ByteArrayInputStream bytes;

        BodyStream(byte[] bytes) {
            this.bytes = new ByteArrayInputStream(bytes);
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            return bytes.read(into, offset, length);
        }

        @Override
        public int available() {
            return bytes.available();
        }

        @Override
        public boolean isFinished() {
            return available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new IllegalStateException(
                    "The body of a request to an idempotent handler cannot be read asynchronously. Read it without a listener.");
        }
    }
}
