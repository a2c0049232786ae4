package io.sagaspring.idempotency.http;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.util.FastByteArrayOutputStream;

/**
 * A response whose body stays in memory until it is {@linkplain #send sent}. Status and headers reach the server's response
 * at once, so that whoever looks at either sees the same; the length of the body is told only when it is known.
 */
final class BufferedResponse extends HttpServletResponseWrapper {

    private final FastByteArrayOutputStream content = new FastByteArrayOutputStream(1024);
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;
    private @Nullable String charset;
    private boolean ended;

    BufferedResponse(HttpServletResponse response) {
        super(response);
    }

    /** Whether the handler has left a response that is a success. */
    boolean isSuccessful() {
        return getStatus() / 100 == 2;
    }

    /** Whether something else than this response was written to. */
    boolean isBypassed() {
        return !ended && isCommitted();
    }

    int size() {
        settle();
        return content.size();
    }

    byte[] body() {
        settle();
        return content.toByteArray();
    }

    /** Gives the client what the handler has written. */
    void send() throws IOException {
        if (!ended) {
            send(body(), (HttpServletResponse) getResponse());
        }
    }

    static void send(byte[] body, HttpServletResponse response) throws IOException {
        if (body.length > 0) {
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }
    }

    /** The server does not know of our writer, whose encoding it would tell to the client. */
    private void settle() {
        if (writer != null && charset != null) {
            writer.flush();
            if (!isCommitted()) {
                super.setCharacterEncoding(charset);
            }
        }
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("The writer of this response is in use.");
        }
        if (stream == null) {
            stream = new Kept();
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        if (stream != null) {
            throw new IllegalStateException("The output stream of this response is in use.");
        }
        if (writer == null) {
            charset = getCharacterEncoding();
            writer = new PrintWriter(new OutputStreamWriter(content, Charset.forName(charset)));
        }
        return writer;
    }

    /** A flush would tell the client what may never be stored. */
    @Override
    public void flushBuffer() {
        settle();
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        discard();
    }

    @Override
    public void reset() {
        super.reset();
        discard();
        stream = null;
        writer = null;
    }

    private void discard() {
        if (writer != null) {
            writer.flush();
        }
        content.reset();
    }

    @Override
    public void sendError(int status) throws IOException {
        discard();
        super.sendError(status);
        ended = true;
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        discard();
        super.sendError(status, message);
        ended = true;
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        sendRedirect(location, SC_FOUND, true);
    }

    @Override
    public void sendRedirect(String location, int status) throws IOException {
        sendRedirect(location, status, true);
    }

    @Override
    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @Override
    public void sendRedirect(String location, int status, boolean clearBuffer) throws IOException {
        if (clearBuffer) {
            discard();
        } else {
            // Its length is not told: some servers take a body that is complete for the end of the response.
            getResponse().getOutputStream().write(body());
        }
        super.sendRedirect(location, status, clearBuffer);
        ended = true;
    }

    @Override
    public void setContentLength(int length) {}

    @Override
    public void setContentLengthLong(long length) {}

    @Override
    public void setHeader(String name, @Nullable String value) {
        if (!isLength(name)) {
            super.setHeader(name, value);
        }
    }

    @Override
    public void addHeader(String name, @Nullable String value) {
        if (!isLength(name)) {
            super.addHeader(name, value);
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        if (!isLength(name)) {
            super.setIntHeader(name, value);
        }
    }

    @Override
    public void addIntHeader(String name, int value) {
        if (!isLength(name)) {
            super.addIntHeader(name, value);
        }
    }

    private static boolean isLength(String name) {
        return HttpHeaders.CONTENT_LENGTH.equalsIgnoreCase(name);
    }

    private final class Kept extends ServletOutputStream {

        @Override
        public void write(int written) throws IOException {
            content.write(written);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            content.write(bytes, offset, length);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new IllegalStateException("The response of an idempotent handler is not written asynchronously.");
        }
    }
}
