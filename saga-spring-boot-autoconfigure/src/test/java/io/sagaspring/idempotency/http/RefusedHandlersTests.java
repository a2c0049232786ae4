package io.sagaspring.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.Part;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.multipart.MultipartHttpServletRequest;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Tests which handlers cannot be idempotent, and the message about each. */
class RefusedHandlersTests {

    private static final String LATER = "whose response is written after the method has returned";
    private static final String VIEW = "returns a view";
    private static final String PART = "takes a part of a multipart request as its parameter 1";

    /** Each method has exactly one fault. */
    @RestController
    @SuppressWarnings({"NullAway", "unused"}) // These methods are never called.
    interface Refused {

        @Idempotent
        Callable<String> callable();

        @Idempotent
        DeferredResult<String> deferred();

        @Idempotent
        WebAsyncTask<String> task();

        @Idempotent
        CompletionStage<String> stage();

        @Idempotent
        CompletableFuture<String> completable();

        @Idempotent
        Future<String> future();

        @Idempotent
        Flow.Publisher<String> publisher();

        @Idempotent
        ResponseBodyEmitter emitter();

        @Idempotent
        SseEmitter events();

        @Idempotent
        StreamingResponseBody streaming();

        @Idempotent
        ResponseEntity<StreamingResponseBody> streamingInside();

        @Idempotent
        ResponseEntity<SseEmitter> eventsInside();

        @Idempotent
        HttpEntity<Callable<String>> callableInside();

        @Idempotent
        CompletableFuture<ResponseEntity<String>> entityInside();

        @Async
        @Idempotent
        String async();

        @Idempotent
        ModelAndView modelAndView();

        @Idempotent
        View view();

        @Idempotent
        Model model();

        @Idempotent
        String file(MultipartFile file);

        @Idempotent
        String files(@RequestParam List<MultipartFile> files);

        @Idempotent
        String fileArray(MultipartFile[] files);

        @Idempotent
        String fileMap(@RequestParam Map<String, MultipartFile> files);

        @Idempotent
        String part(Part part);

        @Idempotent
        String requestPart(@RequestPart String part);

        @Idempotent
        String multipart(MultipartHttpServletRequest request);

        @Idempotent(requestId = "#id")
        String requestId();

        @Idempotent(fingerprint = "#id")
        String fingerprint();

        @Idempotent(unless = "#result == null")
        String unless();

        @Idempotent(sameTransaction = true)
        String sameTransaction();

        @Idempotent(account = "#id +")
        String unreadable();

        @Idempotent(account = "#name")
        String unknownAccount();

        @Idempotent(operation = "'credit ' + #p0")
        String unknownOperation();

        @Idempotent(account = "id")
        String withoutSign();

        @Idempotent(account = "id.toUpperCase()")
        String chainWithoutSign();

        @Idempotent(account = "#id.concat(name)")
        String argumentWithoutSign();

        @Idempotent(account = "#root")
        String root();

        @Idempotent(account = "#id(1)")
        String function();

        @Idempotent(account = "@bean.of(#id)")
        String bean();

        @Idempotent(account = "T(java.lang.System).exit(1)")
        String type();

        @Idempotent(account = "new java.lang.String(#id)")
        String constructor();

        @Idempotent(patience = "soon")
        String patience();

        @Idempotent(patience = "-5s")
        String negativePatience();

        @Idempotent(patience = "${not.set}")
        String unresolvedPatience();
    }

    /** Handlers whose result is not a response body. */
    @Controller
    @SuppressWarnings({"NullAway", "unused"}) // These methods are never called.
    interface Pages {

        @Idempotent
        String name();

        @Idempotent
        Map<String, String> modelMap();

        @Idempotent
        void nothing();

        @Idempotent
        Object object();
    }

    static final Map<String, String> SENTENCES = Map.ofEntries(
            Map.entry("callable", "returns Callable, " + LATER),
            Map.entry("deferred", "returns DeferredResult, " + LATER),
            Map.entry("task", "returns WebAsyncTask, " + LATER),
            Map.entry("stage", "returns CompletionStage, " + LATER),
            Map.entry("completable", "returns CompletableFuture, " + LATER),
            Map.entry("future", "returns Future, " + LATER),
            Map.entry("publisher", "returns Publisher, " + LATER),
            Map.entry("emitter", "returns ResponseBodyEmitter, " + LATER),
            Map.entry("events", "returns SseEmitter, " + LATER),
            Map.entry("streaming", "returns StreamingResponseBody, " + LATER),
            Map.entry("streamingInside", "returns StreamingResponseBody, " + LATER),
            Map.entry("eventsInside", "returns SseEmitter, " + LATER),
            Map.entry("callableInside", "returns Callable, " + LATER),
            Map.entry("entityInside", "returns CompletableFuture, " + LATER),
            Map.entry("async", "is @Async, or its class is"),
            Map.entry("modelAndView", VIEW),
            Map.entry("view", VIEW),
            Map.entry("model", VIEW),
            Map.entry("file", PART),
            Map.entry("files", PART),
            Map.entry("fileArray", PART),
            Map.entry("fileMap", PART),
            Map.entry("part", PART),
            Map.entry("requestPart", PART),
            Map.entry("multipart", PART),
            Map.entry("requestId", "Remove 'requestId'"),
            Map.entry("fingerprint", "Remove 'fingerprint'"),
            Map.entry("unless", "Remove 'unless'"),
            Map.entry("sameTransaction", "Remove 'sameTransaction'"),
            Map.entry("unreadable", "has the account \"#id +\", but it cannot be parsed"),
            Map.entry(
                    "unknownAccount",
                    "has the account \"#name\", but it uses #name, which does not exist here. The variables are #id."),
            Map.entry(
                    "unknownOperation",
                    "has the operation \"'credit ' + #p0\", but it uses #p0, which does not exist here."),
            Map.entry("withoutSign", "has the account \"id\", but 'id' is not a variable."),
            Map.entry("chainWithoutSign", "but 'id' is not a variable."),
            Map.entry("argumentWithoutSign", "but 'name' is not a variable."),
            Map.entry("root", "but it uses #root, which does not exist here."),
            Map.entry("function", "but it uses #id, which does not exist here."),
            Map.entry("bean", "but '@bean' is not a variable."),
            Map.entry("type", "but 'T(java.lang.System)' is not a variable."),
            Map.entry("constructor", "is not a variable."),
            Map.entry(
                    "patience",
                    "has the patience \"soon\", which is not a valid duration. Write a duration such as 5s."),
            Map.entry("negativePatience", "has the patience \"-5s\", which is not a valid duration"),
            Map.entry("unresolvedPatience", "has the patience \"${not.set}\", which is not a valid duration"),
            Map.entry("name", VIEW),
            Map.entry("modelMap", VIEW),
            Map.entry("nothing", VIEW),
            Map.entry("object", VIEW));

    static Stream<Method> refused() {
        return Stream.of(Refused.class, Pages.class).flatMap(type -> Arrays.stream(type.getDeclaredMethods()));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aFaultIsOneSentenceThatNamesItsMethod(Method method) {
        List<String> faults = faults(method, List.of("/accounts/{id:[0-9]{1,9}}/credits"));

        assertThat(faults)
                .singleElement()
                .satisfies(sentence -> assertThat(sentence)
                        .startsWith(
                                "%s.%s ".formatted(method.getDeclaringClass().getName(), method.getName()))
                        .endsWith(".")
                        .contains(SENTENCES.getOrDefault(method.getName(), "a sentence in the table")));
    }

    /** Handlers whose replies can be replayed. */
    @Controller
    @SuppressWarnings({"NullAway", "unused"}) // These methods are never called.
    interface Allowed {

        @Idempotent
        @ResponseBody
        String body();

        @Idempotent
        @ResponseBody
        Object object();

        @Idempotent
        @ResponseBody
        void nothing();

        @Idempotent
        ResponseEntity<String> entity();

        @Idempotent
        ResponseEntity<?> anyEntity();

        @Idempotent
        HttpEntity<byte[]> bytes();

        @Idempotent
        HttpHeaders headers();

        @Idempotent
        ProblemDetail problem();

        @Idempotent
        void written(HttpServletResponse response);

        @Idempotent
        @ResponseStatus(HttpStatus.NO_CONTENT)
        void status();

        @Idempotent(account = "#id", operation = "'credit'", patience = "${none:PT5S}", required = true)
        ResponseEntity<String> expressions();

        @Idempotent(account = "#id.toUpperCase() + ' of ' + #id.concat(#id)[0]")
        ResponseEntity<String> chain();

        @Idempotent(changesAccount = true, account = "{#id}.?[length() > 0 and #this != ''][0]")
        ResponseEntity<String> elements();
    }

    static Stream<Method> allowed() {
        return Arrays.stream(Allowed.class.getDeclaredMethods());
    }

    @ParameterizedTest
    @MethodSource("allowed")
    void aReplayableHandlerIsNotRefused(Method method) {
        assertThat(faults(method, List.of("/accounts/{id}/credits"))).isEmpty();
    }

    @Test
    void aVariableThatSomePathsLackIsUnknown() throws Exception {
        Method method = Allowed.class.getDeclaredMethod("expressions");

        assertThat(faults(method, List.of("/accounts/{*id}", "/{id}/accounts"))).isEmpty();
        assertThat(faults(method, List.of("/accounts/{id}", "/accounts")))
                .singleElement()
                .asString()
                .endsWith("it uses #id, which does not exist here. There are no variables.");
    }

    @Test
    void aHandlerThatConsumesMultipartRequestsIsRefused() throws Exception {
        List<String> faults = new ArrayList<>();
        Method method = Allowed.class.getDeclaredMethod("entity");
        HandlerRules.read(
                handler(method),
                List.of("/"),
                List.of(MediaType.APPLICATION_JSON, MediaType.MULTIPART_FORM_DATA),
                new StandardEnvironment(),
                faults);

        assertThat(faults).singleElement().asString().contains("consumes multipart requests");
    }

    @Test
    void everyFaultIsInTheMessage() {
        assertThat(new IdempotentFaultsException(List.of("One is wrong.", "Two is wrong.")))
                .hasMessage(
                        "These methods are annotated @Idempotent, but the annotation cannot take effect:\n- One is wrong.\n- Two is wrong.");
    }

    private static List<String> faults(Method method, List<String> patterns) {
        List<String> faults = new ArrayList<>();
        HandlerRules.read(handler(method), patterns, List.of(), new StandardEnvironment(), faults);
        return faults;
    }

    /** Returns the handler of a bean that is never created. */
    private static HandlerMethod handler(Method method) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("handler", new RootBeanDefinition(method.getDeclaringClass()));
        return new HandlerMethod("handler", beans, method);
    }
}
