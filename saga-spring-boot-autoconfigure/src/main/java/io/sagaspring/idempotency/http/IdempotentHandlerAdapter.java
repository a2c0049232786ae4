package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.DuplicateRequestException;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
import io.sagaspring.idempotency.KeyCheck;
import io.sagaspring.idempotency.KeyClaim;
import io.sagaspring.idempotency.MissingKeyException;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.idempotency.StoredReply;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;
import org.springframework.core.env.PropertyResolver;
import org.springframework.http.MediaType;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Runs {@link Idempotent} handler methods once per {@code Idempotency-Key}:
 *
 * <ol>
 *   <li>The adapter reads the request into memory and claims the key. The claim is committed.
 *   <li>The application's own adapter runs the handler, with a response that stays in memory.
 *   <li>After a 2xx response, the reply is stored in a second commit, and then sent. After any other response and after
 * an exception, the key is free again, and the client gets the same response as without a key. After an {@code
 * OutcomeUnknownException}, however, the key stays in use, and repeated requests also fail with it.
 *   <li>A repeated request gets the stored status, headers and bytes.
 * </ol>
 *
 * <p>This class is not a filter. All filters and interceptors must first decide whether the request is permitted,
 * because a caller without permission must not get a stored reply. The application fails at start-up if the signature
 * or the annotation of a handler rules out a replay.
 *
 * @since 0.1.0
 */
public final class IdempotentHandlerAdapter implements HandlerAdapter, Ordered, SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(IdempotentHandlerAdapter.class);

    /** The HTTP methods for which this adapter ignores the key. They change no data and have no reply worth storing. */
    private static final Set<String> WITHOUT_KEYS = Set.of("HEAD", "OPTIONS", "TRACE");

    private final IdempotencyKeys keys;
    private final OwnerResolver owners;
    private final RequestMappingHandlerAdapter application;
    private final ObjectProvider<RequestMappingInfoHandlerMapping> mappings;
    private final PropertyResolver placeholders;
    private final HttpSettings settings;
    private final Map<Method, IdempotentHandler> handlers = new ConcurrentHashMap<>();
    private final Set<IdempotentHandler> warned = ConcurrentHashMap.newKeySet();

    /**
     * Creates an adapter that precedes the application's own.
     *
     * @param keys the operations on keys
     * @param owners the resolver of the keys' owners
     * @param application the application's adapter, which runs the handlers
     * @param mappings the mappings of the handlers
     * @param placeholders the resolver of the placeholders in annotations
     * @param settings the settings
     */
    public IdempotentHandlerAdapter(
            IdempotencyKeys keys,
            OwnerResolver owners,
            RequestMappingHandlerAdapter application,
            ObjectProvider<RequestMappingInfoHandlerMapping> mappings,
            PropertyResolver placeholders,
            HttpSettings settings) {
        this.keys = keys;
        this.owners = owners;
        this.application = application;
        this.mappings = mappings;
        this.placeholders = placeholders;
        this.settings = settings;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public boolean supports(Object handler) {
        return handler instanceof HandlerMethod method && method.hasMethodAnnotation(Idempotent.class);
    }

    /**
     * Checks every handler.
     *
     * @throws IdempotentFaultsException if a handler cannot be protected
     */
    @Override
    public void afterSingletonsInstantiated() {
        List<String> faults = new ArrayList<>();
        mappings.orderedStream()
                .forEach(mapping -> mapping.getHandlerMethods().forEach((info, method) -> {
                    if (supports(method)) {
                        handlers.put(method.getMethod(), read(method, info, faults));
                    }
                }));
        if (!faults.isEmpty()) {
            throw new IdempotentFaultsException(faults);
        }
    }

    private IdempotentHandler read(HandlerMethod method, RequestMappingInfo info, Collection<String> faults) {
        return HandlerRules.read(
                method,
                info.getPatternValues(),
                info.getConsumesCondition().getConsumableMediaTypes(),
                placeholders,
                faults);
    }

    /** Returns the parsed handler. A handler that was registered after start-up is checked on its first request. */
    private IdempotentHandler of(HandlerMethod method, HttpServletRequest request) {
        return handlers.computeIfAbsent(method.getMethod(), unknown -> {
            List<String> faults = new ArrayList<>();
            String pattern = String.valueOf(request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE));
            IdempotentHandler read =
                    HandlerRules.read(method, List.of(pattern), List.<MediaType>of(), placeholders, faults);
            if (!faults.isEmpty()) {
                throw new IdempotentFaultsException(faults);
            }
            return read;
        });
    }

    @Override
    public @Nullable ModelAndView handle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws Exception {
        if (WITHOUT_KEYS.contains(request.getMethod())) {
            return application.handle(request, response, handler);
        }
        IdempotentHandler idempotent = of((HandlerMethod) handler, request);
        List<String> sent = Collections.list(request.getHeaders(KeyHeader.NAME));
        if (sent.isEmpty()) {
            refuseOrWarn(idempotent, request);
            return application.handle(request, response, handler);
        }
        String requestId = KeyHeader.parse(sent);
        BufferedRequest read = BufferedRequest.of(request, settings.maxRequestSize());
        IdempotencyKey key = new IdempotencyKey(
                owners.owner(),
                idempotent.account(request),
                requestId,
                idempotent.operation(request),
                idempotent.changesAccount(),
                RequestFingerprint.of(read));
        KeyCheck check = keys.check(key, idempotent.patience());
        if (check instanceof KeyCheck.Completed completed) {
            HttpReply.replay(completed.reply().required(key), response);
        } else if (check instanceof KeyCheck.Processing processing) {
            throw DuplicateRequestException.of(key, processing.leaseLeft());
        } else {
            read.setAttribute(Idempotent.REQUEST_ID, requestId);
            handle(((KeyCheck.New) check).claim(), read, response, handler);
        }
        return null;
    }

    private void handle(KeyClaim claim, BufferedRequest request, HttpServletResponse response, Object handler)
            throws Exception {
        Headers before = Headers.of(response);
        BufferedResponse written = new BufferedResponse(response);
        try {
            claim.<@Nullable Object, Exception>during(() -> CurrentRequest.<@Nullable Object>during(
                    request, written, () -> requireNoView(application.handle(request, written, handler), handler)));
        } catch (Throwable thrown) {
            claim.fail(thrown);
            throw thrown;
        }
        if (written.isSuccessful()) {
            complete(claim, written, before);
        } else {
            claim.fail();
        }
        written.send();
    }

    /**
     * Stores the reply. If the reply cannot be stored, the client gets the exception instead, because a repeated
     * request may get another reply.
     */
    private void complete(KeyClaim claim, BufferedResponse written, Headers before) throws IOException {
        try {
            claim.complete(reply(claim, written));
        } catch (RuntimeException refused) {
            before.restore(written);
            throw refused;
        }
    }

    /** Creates the reply. If that fails, a substitute is stored, because the handler's work must not be repeated. */
    private StoredReply reply(KeyClaim claim, BufferedResponse written) {
        try {
            return HttpReply.of(written, settings);
        } catch (RuntimeException | Error broken) {
            claim.complete(StoredReply.notKept(broken.toString()));
            throw broken;
        }
    }

    private static @Nullable Object requireNoView(@Nullable ModelAndView view, Object handler) {
        if (view != null) {
            throw new IllegalStateException(
                    "The idempotent handler %s returned a view. A view is rendered after the handler has returned, so there is no reply to store. Return a body."
                            .formatted(handler));
        }
        return null;
    }

    private void refuseOrWarn(IdempotentHandler idempotent, HttpServletRequest request) {
        if (idempotent.required()) {
            throw new MissingKeyException(idempotent.operation(request));
        }
        if (warned.add(idempotent)) {
            logger.warn(
                    "{} runs without protection, because a request had no Idempotency-Key header. To refuse such requests, set required = true. This is logged once per handler.",
                    idempotent.name());
        }
    }
}
