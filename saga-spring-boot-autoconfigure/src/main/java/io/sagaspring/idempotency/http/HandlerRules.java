package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.KeyExpression;
import io.sagaspring.method.MethodExpression;
import io.sagaspring.method.MethodReading;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Part;
import java.io.OutputStream;
import java.io.Writer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.PropertyResolver;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.RequestEntity;
import org.springframework.ui.Model;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.multipart.MultipartRequest;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Checks a handler and its annotation. The handler's reply must be storable before the client gets it. */
final class HandlerRules {

    private static final List<Class<?>> ASYNCHRONOUS = List.of(
            Callable.class,
            CompletionStage.class,
            DeferredResult.class,
            Flow.Publisher.class,
            Future.class,
            ResponseBodyEmitter.class,
            StreamingResponseBody.class,
            WebAsyncTask.class);
    private static final List<Class<?>> VIEWS = List.of(Model.class, ModelAndView.class, View.class);
    private static final List<Class<?>> BODIES =
            List.of(ErrorResponse.class, HttpEntity.class, HttpHeaders.class, ProblemDetail.class);
    private static final List<Class<?>> WRITTEN_TO = List.of(OutputStream.class, ServletResponse.class, Writer.class);
    private static final List<Class<?>> PARTS = List.of(MultipartFile.class, MultipartRequest.class, Part.class);

    private final HandlerMethod method;
    private final Idempotent idempotent;
    private final MethodReading reading;

    private HandlerRules(HandlerMethod method, Idempotent idempotent) {
        this.method = method;
        this.idempotent = idempotent;
        this.reading = new MethodReading(method.getMethod(), method.getBeanType());
    }

    /**
     * Reads the annotation of a handler, and checks the handler.
     *
     * @param patterns the paths of the handler's mapping
     * @param consumes the media types that the handler accepts; empty if it accepts all
     * @param faults the list to which the handler's faults are added
     */
    static IdempotentHandler read(
            HandlerMethod method,
            Collection<String> patterns,
            Collection<MediaType> consumes,
            PropertyResolver placeholders,
            Collection<String> faults) {
        HandlerRules rules =
                new HandlerRules(method, Objects.requireNonNull(method.getMethodAnnotation(Idempotent.class)));
        rules.checkAttributes();
        rules.checkReturnType();
        rules.checkParts(consumes);
        IdempotentHandler read = rules.read(patterns, placeholders);
        faults.addAll(rules.reading.faults());
        return read;
    }

    private IdempotentHandler read(Collection<String> patterns, PropertyResolver placeholders) {
        Set<String> variables = PathVariables.ofAll(patterns);
        Duration patience =
                reading.duration("patience", idempotent.patience(), placeholders::resolveRequiredPlaceholders);
        return new IdempotentHandler(
                reading.name(),
                idempotent.required(),
                idempotent.changesAccount(),
                patience == null ? Duration.ZERO : patience,
                expression("account", idempotent.account(), variables),
                expression("operation", idempotent.operation(), variables));
    }

    private void checkAttributes() {
        if (!idempotent.requestId().isEmpty()) {
            reading.fault("handles web requests. Their request id is the header Idempotency-Key. Remove 'requestId'.");
        }
        if (!idempotent.fingerprint().isEmpty()) {
            reading.fault(
                    "handles web requests. Their fingerprint consists of method, path, query, content type and body. Remove 'fingerprint'.");
        }
        if (!idempotent.unless().isEmpty()) {
            reading.fault("handles web requests. Every status except 2xx counts as a failure. Remove 'unless'.");
        }
        if (idempotent.sameTransaction()) {
            reading.fault(
                    "handles web requests. The response is written after the transaction has ended. Remove 'sameTransaction', or annotate the service method that the handler calls.");
        }
    }

    private void checkReturnType() {
        ResolvableType declared = ResolvableType.forMethodReturnType(method.getMethod(), method.getBeanType());
        ResolvableType inside = declared;
        while (HttpEntity.class.isAssignableFrom(inside.toClass())) {
            inside = inside.as(HttpEntity.class).getGeneric();
        }
        Class<?> type = inside.toClass();
        if (reading.refuseAsync("the key would be completed")) {
            return;
        }
        if (isOneOf(ASYNCHRONOUS, type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
            reading.fault(
                    "returns %s, whose response is written after the method has returned, so there is no reply to store. Return the value itself."
                            .formatted(type.getSimpleName()));
        } else if (isView(declared.toClass())) {
            reading.fault(
                    "returns a view, which is rendered after the method has returned, so there is no reply to store. Return a body, with @ResponseBody or as a ResponseEntity.");
        }
    }

    private boolean isView(Class<?> type) {
        if (isOneOf(VIEWS, type)) {
            return true;
        }
        if (method.hasMethodAnnotation(ResponseBody.class)
                || AnnotatedElementUtils.hasAnnotation(method.getBeanType(), ResponseBody.class)) {
            return false;
        }
        if (type == void.class || type == Void.class) {
            return !method.hasMethodAnnotation(ResponseStatus.class)
                    && Arrays.stream(method.getMethodParameters())
                            .noneMatch(each -> isOneOf(WRITTEN_TO, each.getParameterType()));
        }
        return !isOneOf(BODIES, type) || RequestEntity.class.isAssignableFrom(type);
    }

    private void checkParts(Collection<MediaType> consumes) {
        for (MethodParameter each : method.getMethodParameters()) {
            if (each.hasParameterAnnotation(RequestPart.class) || hasParts(ResolvableType.forMethodParameter(each))) {
                reading.fault(
                        "takes a part of a multipart request as its parameter %d. Multipart requests are not supported. Take the body as a whole."
                                .formatted(each.getParameterIndex() + 1));
            }
        }
        if (consumes.stream().anyMatch(each -> each.getType().equals("multipart"))) {
            reading.fault("consumes multipart requests, which are not supported. Take the body as a whole.");
        }
    }

    private static boolean hasParts(ResolvableType type) {
        return isOneOf(PARTS, type.toClass())
                || (type.isArray() && hasParts(type.getComponentType()))
                || Arrays.stream(type.getGenerics()).anyMatch(HandlerRules::hasParts);
    }

    private @Nullable KeyExpression expression(String attribute, String text, Set<String> variables) {
        MethodExpression read = text.isEmpty() ? null : reading.expression(attribute, text, variables);
        return read == null ? null : new KeyExpression(read);
    }

    private static boolean isOneOf(List<Class<?>> types, Class<?> type) {
        return types.stream().anyMatch(each -> each.isAssignableFrom(type));
    }

    /** The names between the braces of a path. */
    private static final class PathVariables {

        private PathVariables() {}

        /** Returns the variables that all these paths have in common. */
        static Set<String> ofAll(Collection<String> patterns) {
            return patterns.stream()
                    .map(PathVariables::of)
                    .reduce((one, other) -> {
                        one.retainAll(other);
                        return one;
                    })
                    .orElseGet(HashSet::new);
        }

        /** Returns the variables of a path, such as {@code id} in <code>/accounts/{id:[0-9]{1,9}}</code>. */
        private static Set<String> of(String pattern) {
            Set<String> names = new HashSet<>();
            int depth = 0;
            int begin = 0;
            for (int at = 0; at < pattern.length(); at++) {
                if (pattern.charAt(at) == '{' && depth++ == 0) {
                    begin = at + 1;
                } else if (pattern.charAt(at) == '}' && --depth == 0) {
                    names.add(
                            pattern.substring(begin, at).replaceFirst(":.*", "").replace("*", ""));
                }
            }
            return names;
        }
    }
}
