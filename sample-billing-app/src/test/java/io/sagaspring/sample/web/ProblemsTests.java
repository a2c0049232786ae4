package io.sagaspring.sample.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The response to every failed call is a problem that reveals no details of the implementation. */
@SampleTest
class ProblemsTests {

    private final Api api;

    ProblemsTests(@LocalServerPort int port) {
        this.api = new Api(port);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /nowhere, 404",
        "GET, /api, 404",
        "GET, /actuator/nowhere, 404",
        "GET, /error, 404",
        "DELETE, /api/billings/1, 405",
        "POST, /api/effects, 405",
        "INVENTED, /api/billings, 405",
        "TRACE, /api/billings, 405",
        "POST, /api/billings, 400"
    })
    void aCallThatCannotBeServedGetsAProblem(String method, String path, int status) {
        api.call(method, path, "Content-Type", "application/json").requireProblem(status, "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "application/xml", "text/plain", "*/*", "not a media type"})
    void aProblemDoesNotDependOnWhatTheClientAccepts(String accept) {
        String billing = "/api/billings/" + api.open("ACCEPT-1").path("id");

        api.call("GET", "/nowhere", "Accept", accept).requireProblem(404, "");
        api.call("POST", billing + "/steps/close", "Accept", accept).requireProblem(409, "NotApplicable");
    }

    @Test
    void anUnsupportedAcceptHeaderIsRefusedAndAMalformedAcceptHeaderIsIgnored() {
        api.call("GET", "/api/effects", "Accept", "application/xml").requireProblem(406, "");
        assertThat(api.call("GET", "/api/effects", "Accept", "not a media type").status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/xml", "application/x-www-form-urlencoded", "not a media type"})
    void aBodyOfAnotherMediaTypeGetsAProblem(String type) {
        api.call("POST", "/api/billings", "Content-Type", type).requireProblem(415, "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /api/billings/1%zz HTTP/1.1",
                "GET /api/billings/{x} HTTP/1.1",
                "GET /api/../../etc HTTP/1.1",
                "GET /api/billings/1%2f HTTP/1.1"
            })
    void anInvalidRequestLineGetsAProblem(String line) {
        String answer = api.raw(line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n");

        assertThat(answer)
                .startsWith("HTTP/1.1 400")
                .containsIgnoringCase("content-type: application/problem+json\r\n")
                .endsWith("""
                        {"type":"about:blank","title":"Bad Request","status":400,"detail":"The request failed. This response does not show the cause."}""");
    }

    @Test
    void anExceptionIsNotShownToTheClient() {
        String billing = api.approved("SECRET-1");

        Api.Answer answer = api.step(billing + "/steps/close", "X-Simulate", "throw");

        answer.requireProblem(500, "");
        assertThat(answer.body().toString()).doesNotContain("Simulated");
        assertThat(answer.text("instance")).isEqualTo(billing + "/steps/close");
    }
}
