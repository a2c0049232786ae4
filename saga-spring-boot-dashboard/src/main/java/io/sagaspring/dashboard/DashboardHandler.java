package io.sagaspring.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.server.PathContainer;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.util.ServletRequestPathUtils;

/** Answers all requests below the path of the dashboard. One address accepts POST; everything else only reads. */
final class DashboardHandler implements HttpRequestHandler {

    private static final Logger logger = LoggerFactory.getLogger(DashboardHandler.class);

    private static final String API = "api/";
    private static final String OPERATIONS = "operations";
    private static final String PAYLOADS = "payloads";

    /** No page of another origin can send this header, unless the application allows it by CORS. */
    private static final String GUARD = "X-Saga-Dashboard";

    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
    private static final String PROBLEM = "application/problem+json";

    private final String path;
    private final DashboardApi api;
    private final Supplier<@Nullable SagaAccess> access;
    private final DashboardFiles files = DashboardFiles.load();

    DashboardHandler(DashboardSettings settings, DashboardApi api, Supplier<@Nullable SagaAccess> access) {
        this.path = settings.path();
        this.api = api;
        this.access = access;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cache-Control", "no-store");
        try {
            answer(request, response);
        } catch (ProblemException refused) {
            send(request, response, refused.problem());
        } catch (RuntimeException failed) {
            ProblemException.Problem problem = Failures.problemOf(failed);
            if (problem.status() == HttpServletResponse.SC_INTERNAL_SERVER_ERROR) {
                logger.error("A request to the dashboard failed", failed);
            } else {
                logger.warn("A request to the dashboard failed: {}", problem.detail(), failed);
            }
            send(request, response, problem);
        }
    }

    private void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
        // The raw text is compared, so that an encoded path never selects a file or an address of the API.
        PathContainer found = ServletRequestPathUtils.parseAndCache(request).pathWithinApplication();
        String within = found.value();
        if (within.equals(path + "/" + API + OPERATIONS) && request.getMethod().equals("POST")) {
            operate(request, response);
            return;
        }
        requireReading(request, response);
        if (within.equals(path)) {
            response.setStatus(HttpServletResponse.SC_FOUND);
            response.setHeader("Location", path.substring(path.lastIndexOf('/') + 1) + "/");
        } else if (within.startsWith(path + "/" + API)) {
            answerApi(within.substring(path.length() + 1 + API.length()), request, response);
        } else {
            sendFile(within.startsWith(path + "/") ? within.substring(path.length() + 1) : "?", request, response);
        }
    }

    private static void requireReading(HttpServletRequest request, HttpServletResponse response) {
        String method = request.getMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            response.setHeader("Allow", "GET, HEAD");
            throw new ProblemException(new ProblemException.Problem(
                    405, "Method Not Allowed", "This address can only be read. Use GET.", "bad-request"));
        }
    }

    private void operate(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Principal person = CurrentPerson.of(request);
        try {
            requireOperating(person, request, response);
        } catch (ProblemException denied) {
            api.deny(request, person, denied.problem().detail());
            throw denied;
        }
        Operating.Performed result = api.perform(request, person);
        int status = switch (result.result()) {
            case ACCEPTED -> HttpServletResponse.SC_OK;
            case UNKNOWN -> HttpServletResponse.SC_NOT_FOUND;
            case REFUSED -> HttpServletResponse.SC_CONFLICT;
        };
        send(request, response, status, "application/json", api.json(result.body()));
    }

    private void requireOperating(
            @Nullable Principal person, HttpServletRequest request, HttpServletResponse response) {
        requirePermission(SagaPermission.VIEW, person, response);
        if (!api.isWritable()) {
            throw ProblemException.forbidden(
                    "The dashboard only reads. To allow operations, set saga.dashboard.access=unrestricted.",
                    "forbidden");
        }
        requirePermission(SagaPermission.OPERATE, person, response);
        if (request.getHeader(GUARD) == null) {
            throw ProblemException.forbidden(
                    "The header %s is missing. It shows that no other site has sent this request. Add it with any value."
                            .formatted(GUARD),
                    "csrf");
        }
    }

    private boolean may(SagaPermission permission, @Nullable Principal person) {
        SagaAccess asked = access.get();
        return asked == null || asked.may(permission, person);
    }

    private void answerApi(String name, HttpServletRequest request, HttpServletResponse response) throws IOException {
        Principal person = CurrentPerson.of(request);
        requirePermission(SagaPermission.VIEW, person, response);
        Content answer;
        if (name.equals(PAYLOADS)) {
            requireShownPayloads();
            requirePermission(SagaPermission.PAYLOADS, person, response);
            answer = api.payloads(request, person);
        } else {
            boolean mayOperate = api.isWritable() && may(SagaPermission.OPERATE, person);
            boolean maySeePayloads = api.showsPayloads() && may(SagaPermission.PAYLOADS, person);
            answer = api.answer(name, request, person, mayOperate, maySeePayloads);
        }
        response.setHeader("ETag", answer.tag());
        if (isKnown(request, answer.tag())) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        send(request, response, HttpServletResponse.SC_OK, answer.type(), answer.body());
    }

    private void requireShownPayloads() {
        if (!api.showsPayloads()) {
            throw ProblemException.forbidden(
                    "The dashboard hides inputs, results and signals. To show them, set saga.dashboard.payloads.",
                    "forbidden");
        }
    }

    private void requirePermission(
            SagaPermission permission, @Nullable Principal person, HttpServletResponse response) {
        if (may(permission, person)) {
            return;
        }
        if (person == null) {
            throw new ProblemException(new ProblemException.Problem(
                    401, "Unauthorized", "Sign in to the application to see the dashboard.", "unauthenticated"));
        }
        String needed = permission.authority();
        response.setHeader("Saga-Needs", needed);
        throw ProblemException.forbidden("You need the authority %s for this.".formatted(needed), "forbidden");
    }

    private void sendFile(String name, HttpServletRequest request, HttpServletResponse response) throws IOException {
        Optional<Content> found = files.find(name);
        if (found.isEmpty()) {
            throw ProblemException.notFound("The dashboard has no such page.");
        }
        Content file = found.get();
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("ETag", file.tag());
        if (isKnown(request, file.tag())) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        send(request, response, HttpServletResponse.SC_OK, file.type(), file.body());
    }

    /** Compares weakly, as RFC 9110 requires for If-None-Match: proxies that compress weaken strong tags. */
    private static boolean isKnown(HttpServletRequest request, String tag) {
        String known = request.getHeader("If-None-Match");
        return known != null && known.contains(tag.startsWith("W/") ? tag.substring(2) : tag);
    }

    private void send(HttpServletRequest request, HttpServletResponse response, ProblemException.Problem problem)
            throws IOException {
        send(request, response, problem.status(), PROBLEM, api.json(problem));
    }

    private static void send(
            HttpServletRequest request, HttpServletResponse response, int status, String type, byte[] content)
            throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setContentLength(content.length);
        if (!request.getMethod().equals("HEAD")) {
            response.getOutputStream().write(content);
        }
    }
}
