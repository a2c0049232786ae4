package io.sagaspring.sample.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;

/** Replies to malformed requests, which Tomcat refuses before they reach a servlet. */
@Component
class RefusedByTomcat implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        factory.addContextCustomizers(
                context -> context.getParent().getPipeline().addValve(new ProblemValve()));
    }

    private static final class ProblemValve extends ErrorReportValve {

        @Override
        protected void report(Request request, Response response, @Nullable Throwable failure) {
            HttpStatus status = HttpStatus.resolve(response.getStatus());
            if (status == null
                    || !status.isError()
                    || response.getContentWritten() > 0
                    || !response.setErrorReported()) {
                return;
            }
            response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
            String problem = """
                    {"type":"about:blank","title":"%s","status":%d,"detail":"%s"}""".formatted(status.getReasonPhrase(), status.value(), CompleteProblems.NO_DETAIL);
            try {
                response.getOutputStream().write(problem.getBytes(StandardCharsets.UTF_8));
                response.finishResponse();
            } catch (IOException nobodyListens) {
                container.getLogger().debug("A client did not wait for the response", nobodyListens);
            }
        }
    }
}
