package io.sagaspring.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which calls reach the server's response, because some servers do not tolerate superfluous calls. */
class BufferedResponseTests {

    private final List<String> called = new ArrayList<>();

    private final HttpServletResponse server = (HttpServletResponse) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {HttpServletResponse.class}, (self, method, arguments) -> {
                called.add(method.getName());
                return method.getName().equals("getCharacterEncoding") ? "UTF-8" : null;
            });

    private final BufferedResponse response = new BufferedResponse(server);

    @Test
    void noBytesAreSentAfterAnError() throws Exception {
        response.getOutputStream().print("half");
        response.sendError(400);
        response.getOutputStream().print("more");
        response.send();

        assertThat(called).containsExactly("sendError");
    }

    @Test
    void noBytesAreSentAfterAnErrorWithAMessage() throws Exception {
        response.getOutputStream().print("half");
        response.sendError(400, "bad");
        response.getOutputStream().print("more");
        response.send();

        assertThat(called).containsExactly("sendError");
    }

    @Test
    void noBytesAreSentAfterARedirect() throws Exception {
        response.getOutputStream().print("half");
        response.sendRedirect("/elsewhere");
        response.getOutputStream().print("more");
        response.send();

        assertThat(called).containsExactly("sendRedirect");
    }

    /** The servlet specification requires this. */
    @Test
    void aResponseIsWrittenEitherByStreamOrByWriter() {
        assertThat(response.getOutputStream()).isSameAs(response.getOutputStream());
        assertThatIllegalStateException().isThrownBy(response::getWriter);

        BufferedResponse other = new BufferedResponse(server);
        assertThat(other.getWriter()).isSameAs(other.getWriter());
        assertThatIllegalStateException().isThrownBy(other::getOutputStream);
    }
}
