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
 * A response whose body stays in memory until it is {@linkplain #send sent}. Status and headers are set on the server's
 * response at once, so that both responses always have the same status and headers. The content length is set when the
 * body is complete.
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

    /** Returns true if the status is 2xx. */
    boolean isSuccessful() {
        return getStatus() / 100 == 2;
    }

    /** Returns true if other code bypassed this response and wrote directly to the server's response. */
    boolean isBypassed() {
        return !ended && isCommitted();
    }

    int size() {
        flushWriter();
        return content.size();
    }

    byte[] body() {
        flushWriter();
        return content.toByteArray();
    }

    /** Sends the body to the client. */
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

    /** Flushes the writer, and sets its encoding on the server's response, which is not aware of this writer. */
    private void flushWriter() {
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
            throw new IllegalStateException("The writer of this response is in use. Use it instead of the stream.");
        }
        if (stream == null) {
            stream = new BufferStream();
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        if (stream != null) {
            throw new IllegalStateException("The stream of this response is in use. Use it instead of the writer.");
        }
        if (writer == null) {
            charset = getCharacterEncoding();
            writer = new PrintWriter(new OutputStreamWriter(content, Charset.forName(charset)));
        }
        return writer;
    }

    /** Sends nothing, because the client must not get a reply that may never be stored. */
    @Override
    public void flushBuffer() {
        flushWriter();
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
            // Do not set the content length. Some servers end the response as soon as that many bytes are written, and
            // then the redirect could no longer be sent.
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

    private final class BufferStream extends ServletOutputStream {

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
            throw new IllegalStateException(
                    "The response of an idempotent handler cannot be written asynchronously. Write it without a listener.");
        }
    }
}
