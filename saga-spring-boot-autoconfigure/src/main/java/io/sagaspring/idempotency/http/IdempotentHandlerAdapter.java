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
 * Runs handler methods that are {@link Idempotent} once for each {@code Idempotency-Key}:
 *
 * <ol>
 *   <li>The request is read into memory, and its key is claimed, which is a commit.
 *   <li>The application's own adapter runs the handler, on a response that stays in memory.
 *   <li>After a success the reply is stored, which is a second commit, and then the client is given it. After anything else
 *       the key is free again, and the response or the exception is what it would be without a key.
 *   <li>A repetition is given the stored status, headers and bytes.
 * </ol>
 *
 * <p>It is an adapter and no filter, so that it stands behind all that decides who may ask: filters, and the interceptors
 * of the application. It refuses at start-up what it could not replay.
 *
 * @since 0.1.0
 */
public final class IdempotentHandlerAdapter implements HandlerAdapter, Ordered, SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(IdempotentHandlerAdapter.class);

    /** They do nothing, and say nothing that has a body. */
    private static final Set<String> LEFT_ALONE = Set.of("HEAD", "OPTIONS", "TRACE");

    private final IdempotencyKeys keys;
    private final OwnerResolver owners;
    private final RequestMappingHandlerAdapter application;
    private final ObjectProvider<RequestMappingInfoHandlerMapping> mappings;
    private final PropertyResolver placeholders;
    private final HttpSettings settings;
    private final Map<Method, IdempotentHandler> handlers = new ConcurrentHashMap<>();
    private final Set<IdempotentHandler> warned = ConcurrentHashMap.newKeySet();

    /**
     * An adapter before that of the application.
     *
     * @param keys claims and completes
     * @param owners tells whose keys they are
     * @param application runs handlers
     * @param mappings knows which handlers there are
     * @param placeholders resolves those in annotations
     * @param settings what may be set
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
     * Judges every handler.
     *
     * @throws IdempotentFaultsException if any cannot be idempotent as it is written
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

    /** One that was registered after the start is judged by its first request. */
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
        if (LEFT_ALONE.contains(request.getMethod())) {
            return application.handle(request, response, handler);
        }
        IdempotentHandler idempotent = of((HandlerMethod) handler, request);
        List<String> sent = Collections.list(request.getHeaders(KeyHeader.NAME));
        if (sent.isEmpty()) {
            warnOnce(idempotent, request);
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

    /** A reply that is not stored is not given to the client either, who would otherwise be told two. */
    private void complete(KeyClaim claim, BufferedResponse written, Headers before) throws IOException {
        try {
            claim.complete(reply(claim, written));
        } catch (RuntimeException refused) {
            before.restore(written);
            throw refused;
        }
    }

    /** Whatever keeps the reply from being made, the handler's work is done and must not be repeated. */
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
                    "The idempotent handler %s has returned a view, which is written after it has returned. Return a body."
                            .formatted(handler));
        }
        return null;
    }

    private void warnOnce(IdempotentHandler idempotent, HttpServletRequest request) {
        if (idempotent.required()) {
            throw new MissingKeyException(idempotent.operation(request));
        }
        if (warned.add(idempotent)) {
            logger.warn(
                    "{} ran without protection: it was asked without an Idempotency-Key, which it does not require. This is said once.",
                    idempotent.name());
        }
    }
}
