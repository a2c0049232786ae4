package io.sagaspring.dashboard;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.InvalidKeyException;
import io.sagaspring.idempotency.KeyPage;
import io.sagaspring.idempotency.KeyQuery;
import io.sagaspring.idempotency.KeyState;
import io.sagaspring.idempotency.KeyView;
import io.sagaspring.idempotency.StoredKeys;
import io.sagaspring.lease.LeasePage;
import io.sagaspring.lease.LeaseQuery;
import io.sagaspring.lease.LeaseState;
import io.sagaspring.lease.LeaseView;
import io.sagaspring.lease.StoredLeases;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads leases and idempotency keys. */
final class LockReading {

    static final Set<String> LEASES = Set.of("name", "tenant", "node", "state", "after", "limit");
    static final Set<String> KEYS =
            Set.of("operation", "owner", "tenant", "node", "state", "request", "account", "after", "limit");

    static final String NEXT = "Use the value of 'next' in the previous answer.";

    private final DashboardSources sources;

    LockReading(DashboardSources sources) {
        this.sources = sources;
    }

    /** A name of leases. The token is a text, because a number of JavaScript cannot hold every token. */
    record LeaseItem(
            String name,
            @Nullable String tenant,
            String state,
            @Nullable String completion,
            String node,
            String token,
            @Nullable Instant heldSince,
            @Nullable Instant endsAt,
            @Nullable Instant endedAt,
            List<String> operations) {

        static LeaseItem of(LeaseView view, DashboardQuery query) {
            return new LeaseItem(
                    view.name(),
                    view.tenant(),
                    view.state().text(),
                    view.completion() == null ? null : view.completion().name().toLowerCase(Locale.ROOT),
                    view.node(),
                    view.token().toString(),
                    view.heldSince(),
                    view.endsAt(),
                    view.endedAt(),
                    view.state() == LeaseState.HELD ? query.offered("lease.free") : List.of());
        }
    }

    @Nullable
    Object leases(DashboardQuery query) {
        StoredLeases leases = sources.find(StoredLeases.class);
        if (leases == null) {
            return null;
        }
        LeaseState state = query.read(
                "state", text -> LeaseState.valueOf(text.toUpperCase(Locale.ROOT)), "Use held, free or completed.");
        LeasePage page = page(
                query,
                after -> leases.list(new LeaseQuery(
                        query.nonEmpty("name"),
                        query.text("tenant"),
                        query.nonEmpty("node"),
                        state,
                        after,
                        query.limit())));
        return new Paged<>(
                page.leases().stream().map(each -> LeaseItem.of(each, query)).toList(), page.next());
    }

    /** An idempotency key, without the reply. */
    record KeyItem(
            String id,
            String operation,
            String owner,
            String account,
            @Nullable String tenant,
            String state,
            String node,
            String token,
            Instant claimedAt,
            Instant expiresAt,
            @Nullable Instant leaseEndsAt,
            List<String> operations) {

        static KeyItem of(KeyView view, DashboardQuery query) {
            return new KeyItem(
                    view.id(),
                    view.operation(),
                    view.owner(),
                    view.account(),
                    view.tenant(),
                    view.state().text(),
                    view.node(),
                    view.token().toString(),
                    view.claimedAt(),
                    view.expiresAt(),
                    view.leaseEndsAt(),
                    view.state().isUnanswered() ? query.offered("key.free") : List.of());
        }
    }

    @Nullable
    Object keys(DashboardQuery query) {
        StoredKeys keys = sources.find(StoredKeys.class);
        if (keys == null) {
            return null;
        }
        KeyPage page = query.nonEmpty("request") == null ? listed(keys, query) : new KeyPage(found(keys, query), null);
        return new Paged<>(
                page.keys().stream().map(each -> KeyItem.of(each, query)).toList(), page.next());
    }

    private static KeyPage listed(StoredKeys keys, DashboardQuery query) {
        if (query.nonEmpty("account") != null) {
            throw ProblemException.badRequest(
                    "The parameter 'account' needs the parameter 'request', because it is only a part of a key.");
        }
        KeyState state = query.read(
                "state",
                text -> KeyState.valueOf(text.toUpperCase(Locale.ROOT)),
                "Use processing, abandoned, completed or expired.");
        return page(
                query,
                after -> keys.list(new KeyQuery(
                        query.nonEmpty("operation"),
                        query.nonEmpty("owner"),
                        query.text("tenant"),
                        query.nonEmpty("node"),
                        state,
                        after,
                        query.limit())));
    }

    /** Finds a key by its parts. The digest of all parts is the primary key. */
    private static List<KeyView> found(StoredKeys keys, DashboardQuery query) {
        for (String ignored : List.of("node", "state", "after")) {
            if (query.nonEmpty(ignored) != null) {
                throw ProblemException.badRequest(
                        "The parameter '%s' cannot be used with the parameter 'request', which finds one key. Remove one of both."
                                .formatted(ignored));
            }
        }
        String operation = query.nonEmpty("operation");
        if (operation == null) {
            throw ProblemException.badRequest(
                    "The parameter 'request' needs the parameter 'operation', because both are parts of a key.");
        }
        try {
            IdempotencyKey key = IdempotencyKey.of(operation, query.nonEmpty("request"))
                    .ownedBy(either(query.nonEmpty("owner")))
                    .onAccount(either(query.nonEmpty("account")));
            return keys.find(key, query.nonEmpty("tenant"));
        } catch (InvalidKeyException invalid) {
            throw ProblemException.badRequest(String.valueOf(invalid.getMessage()));
        }
    }

    private static <T> T page(DashboardQuery query, Function<@Nullable String, T> reading) {
        return query.nonEmpty("after") == null
                ? reading.apply(null)
                : Objects.requireNonNull(query.read("after", text -> reading.apply(text), NEXT));
    }

    private static String either(@Nullable String part) {
        return part == null ? IdempotencyKey.NONE : part;
    }
}
