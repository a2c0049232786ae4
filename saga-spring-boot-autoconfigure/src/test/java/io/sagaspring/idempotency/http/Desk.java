package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.Idempotent;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Handlers that execute the work of a test and count their calls. */
@RestController
class Desk {

    /** The work of a handler. */
    @FunctionalInterface
    interface Work {
        @Nullable
        Object on(HttpServletRequest request, HttpServletResponse response) throws Exception;
    }

    static class Trouble extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    final AtomicInteger runs = new AtomicInteger();
    volatile Work work = (request, response) -> "done";

    /** Is injected once, for all requests. */
    private final HttpServletRequest injectedRequest;

    private final HttpServletResponse injectedResponse;

    Desk(HttpServletRequest injectedRequest, HttpServletResponse injectedResponse) {
        this.injectedRequest = injectedRequest;
        this.injectedResponse = injectedResponse;
    }

    HttpServletRequest injectedRequest() {
        return injectedRequest;
    }

    HttpServletResponse injectedResponse() {
        return injectedResponse;
    }

    private @Nullable Object run(HttpServletRequest request, HttpServletResponse response) throws Exception {
        runs.incrementAndGet();
        return work.on(request, response);
    }

    @RequestMapping("/unprotected/{id}")
    @Nullable
    Object unprotected(HttpServletRequest request, HttpServletResponse response) throws Exception {
        return run(request, response);
    }

    @PostMapping("/desk/{id}")
    @Idempotent
    @Nullable
    Object desk(HttpServletRequest request, HttpServletResponse response) throws Exception {
        return run(request, response);
    }

    @PutMapping("/desk/{id}")
    @Idempotent
    @Nullable
    Object put(HttpServletRequest request, HttpServletResponse response) throws Exception {
        return run(request, response);
    }

    @RequestMapping(
            path = "/anything/{id}",
            method = {RequestMethod.HEAD, RequestMethod.OPTIONS, RequestMethod.POST, RequestMethod.PUT})
    @Idempotent(operation = "'anything'")
    @Nullable
    Object anything(HttpServletRequest request, HttpServletResponse response) throws Exception {
        return run(request, response);
    }

    @PostMapping("/entity/{id}")
    @Idempotent
    ResponseEntity<?> entity(HttpServletRequest request, HttpServletResponse response) throws Exception {
        return (ResponseEntity<?>) java.util.Objects.requireNonNull(run(request, response));
    }

    /** The work writes the response itself, or writes nothing. */
    @PostMapping("/raw/{id}")
    @Idempotent
    void raw(HttpServletRequest request, HttpServletResponse response) throws Exception {
        run(request, response);
    }

    @PostMapping("/bytes/{id}")
    @Idempotent
    ResponseEntity<byte[]> bytes(@RequestBody(required = false) byte @Nullable [] body) {
        runs.incrementAndGet();
        return ResponseEntity.ok(body == null ? new byte[0] : body);
    }

    @PostMapping("/typed")
    @Idempotent
    int typed(@RequestParam int amount) {
        runs.incrementAndGet();
        return amount;
    }

    @PostMapping("/form")
    @Idempotent
    String form(@RequestParam Map<String, String> fields) {
        runs.incrementAndGet();
        return new TreeMap<>(fields).toString();
    }

    @PostMapping("/form-body")
    @Idempotent
    String formBody(@RequestBody MultiValueMap<String, String> fields) {
        runs.incrementAndGet();
        return new TreeMap<>(fields).toString();
    }

    @PostMapping("/required/{id}")
    @Idempotent(required = true, operation = "'require ' + #id")
    @Nullable
    Object required(HttpServletRequest request, HttpServletResponse response) throws Exception {
        return run(request, response);
    }

    @GetMapping("/read/{id}")
    @Idempotent(required = true)
    @Nullable
    Object read(HttpServletRequest request, HttpServletResponse response) throws Exception {
        return run(request, response);
    }

    @PostMapping("/patient/{id}")
    @Idempotent(patience = "${desk.patience:60s}")
    @Nullable
    Object patient(HttpServletRequest request, HttpServletResponse response) throws Exception {
        return run(request, response);
    }

    @PostMapping("/accounts/{id}/credits")
    @Idempotent(account = "#id")
    String credit(@PathVariable String id) {
        return "credit %d of %s".formatted(runs.incrementAndGet(), id);
    }

    @PostMapping("/accounts/{id}/reset")
    @Idempotent(account = "#id", changesAccount = true)
    String reset(@PathVariable String id) {
        return "reset %d of %s".formatted(runs.incrementAndGet(), id);
    }

    /** The current request and response must be the same as without a key. */
    @ExceptionHandler
    ResponseEntity<Map<String, List<String>>> trouble(Trouble trouble, HttpMethod method) {
        ServletRequestAttributes current = (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
        return ResponseEntity.unprocessableContent()
                .header("X-Current", current.getClass().getSimpleName())
                .body(Map.of("trouble", List.of(method.name())));
    }
}
