package io.sagaspring.test.listener;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.listener.Delivery;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryState;
import io.sagaspring.listener.DeliveryStore;
import io.sagaspring.listener.DeliveryView;
import io.sagaspring.listener.ListenerBacklog;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stores deliveries within this process, for tests. Its deliveries are lost when the process ends. It takes part in no
 * transaction: an event that is published in a transaction is stored after the commit.
 *
 * @since 0.1.0
 */
public final class MemoryDeliveryStore implements DeliveryStore {

    private static final String DIED = "In the last attempt, the node died or lost the lease.";

    private final ReentrantLock lock = new ReentrantLock();
    private final TreeMap<Long, Row> rows = new TreeMap<>();
    private final Supplier<Instant> clock;
    private final Duration lease;
    private final RenewableLeases leases = new Leases();

    /** The token of the latest pickup, by line. */
    private final Map<Long, Long> served = new HashMap<>();

    private long lastId;
    private long lastToken;

    /** A stored delivery. */
    private static final class Row {

        final Publication publication;
        final Addressee to;
        final Instant publishedAt;
        Instant dueAt;
        int attempts;
        boolean parked;

        @Nullable
        FencingToken token;

        @Nullable
        String lastError;

        Row(Publication publication, Addressee to, Instant now) {
            this.publication = publication;
            this.to = to;
            this.publishedAt = now;
            this.dueAt = now;
        }

        void release(Instant due) {
            token = null;
            dueAt = due;
        }
    }

    /**
     * Creates an empty store.
     *
     * @param clock the supplier of the current time
     * @param lease the duration of a delivery's lease, from its pickup or its latest renewal
     */
    public MemoryDeliveryStore(Supplier<Instant> clock, Duration lease) {
        this.clock = clock;
        this.lease = lease;
    }

    private <T extends @Nullable Object> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void publish(Publication publication) {
        if (TransactionPhase.isActive() && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    insert(publication);
                }
            });
        } else {
            insert(publication);
        }
    }

    private void insert(Publication publication) {
        boolean unused = locked(() -> {
            publication.addressees().forEach(to -> rows.put(++lastId, new Row(publication, to, clock.get())));
            return true;
        });
    }

    /** Returns the heads of a listener's lines. The lines that were served last are at the end, so that lines take turns. */
    private List<Long> heads(String listener) {
        Map<Long, Long> first = rows.entrySet().stream()
                .filter(each -> each.getValue().to.listener().equals(listener))
                .collect(Collectors.toMap(each -> each.getValue().to.line(), Map.Entry::getKey, Math::min));
        return first.entrySet().stream()
                .sorted(Comparator.<Map.Entry<Long, Long>, Long>comparing(
                                each -> served.getOrDefault(each.getKey(), 0L))
                        .thenComparing(Map.Entry::getValue))
                .map(Map.Entry::getValue)
                .toList();
    }

    private Row row(long id) {
        return Objects.requireNonNull(rows.get(id));
    }

    private boolean isHeld(Row row) {
        return row.token != null && row.dueAt.isAfter(clock.get());
    }

    private boolean canBegin(long id) {
        Row row = row(id);
        return !row.parked
                && !row.dueAt.isAfter(clock.get())
                && rows.values().stream()
                        .noneMatch(each -> each.to.listener().equals(row.to.listener())
                                && each.to.line() == row.to.line()
                                && isHeld(each));
    }

    @Override
    public Optional<Duration> untilDue(String listener, Duration within) {
        return locked(() -> heads(listener).stream()
                .map(this::row)
                .filter(each -> !each.parked)
                .map(each -> Duration.between(clock.get(), each.dueAt))
                .min(Duration::compareTo)
                .filter(until -> until.compareTo(within) <= 0));
    }

    @Override
    public List<PickedUp> pick(String listener, int slots, int attempts) {
        return locked(() -> heads(listener).stream()
                .filter(this::canBegin)
                .limit(slots)
                .map(id -> pickedUp(id, attempts))
                .toList());
    }

    private PickedUp pickedUp(long id, int attempts) {
        Row row = row(id);
        boolean parked = row.attempts >= attempts;
        if (parked) {
            row.parked = true;
            row.lastError = DIED;
        } else {
            row.attempts++;
        }
        FencingToken token = new FencingToken(++lastToken);
        row.token = token;
        served.put(row.to.line(), token.value());
        row.dueAt = clock.get().plus(lease);
        return new PickedUp(
                new Delivery(id, row.to.listener(), row.to.orderKey(), row.attempts, row.publishedAt, token),
                row.publication.tenant(),
                row.publication.payload(),
                row.publication.carried(),
                parked);
    }

    /** Returns the row of the delivery, or null if the delivery's token is no longer the row's token. */
    private @Nullable Row mine(Delivery delivery) {
        Row row = rows.get(delivery.id());
        return row == null || !delivery.token().equals(row.token) ? null : row;
    }

    @Override
    public Ended done(Delivery delivery) {
        return locked(() -> {
            Row row = mine(delivery);
            if (row == null) {
                return Ended.LOST;
            }
            rows.remove(delivery.id());
            boolean othersFollow = rows.values().stream()
                    .anyMatch(each -> each.to.listener().equals(row.to.listener()) && each.to.line() == row.to.line());
            return othersFollow ? Ended.OTHERS_FOLLOW : Ended.DONE;
        });
    }

    @Override
    public boolean failed(Delivery delivery, Duration pause, boolean park, String error) {
        return locked(() -> {
            Row row = mine(delivery);
            if (row == null) {
                return false;
            }
            row.release(clock.get().plus(pause));
            row.parked = park;
            row.lastError = error;
            return true;
        });
    }

    @Override
    public boolean release(Delivery delivery, Duration pause) {
        return locked(() -> {
            Row row = mine(delivery);
            if (row == null) {
                return false;
            }
            row.release(clock.get().plus(pause));
            row.attempts--;
            return true;
        });
    }

    @Override
    public List<DeliveryView> find(DeliveryQuery query) {
        return locked(() -> rows.keySet().stream()
                .filter(id -> query.after() == null || id > query.after())
                .map(this::view)
                .filter(matches(query.listener(), DeliveryView::listener))
                .filter(matches(query.orderKey(), DeliveryView::orderKey))
                .filter(matches(query.tenant(), each -> Objects.requireNonNullElse(each.tenant(), "")))
                .filter(each -> query.state() == null || query.state() == each.state())
                .limit(query.limit())
                .toList());
    }

    private static Predicate<DeliveryView> matches(
            @Nullable String wanted, Function<DeliveryView, @Nullable String> part) {
        return each -> wanted == null || wanted.equals(part.apply(each));
    }

    private DeliveryView view(long id) {
        Row row = row(id);
        return new DeliveryView(
                id,
                row.to.listener(),
                true,
                row.to.event(),
                row.to.orderKey(),
                row.publication.tenant(),
                state(row),
                row.attempts,
                row.publishedAt,
                row.dueAt,
                row.token == null ? null : "memory",
                row.lastError);
    }

    private DeliveryState state(Row row) {
        if (row.parked) {
            return DeliveryState.PARKED;
        }
        if (isHeld(row)) {
            return DeliveryState.DELIVERING;
        }
        return row.token == null && row.attempts > 0 ? DeliveryState.RETRYING : DeliveryState.WAITING;
    }

    @Override
    public boolean retry(long id) {
        return locked(() -> {
            Row row = rows.get(id);
            if (row == null || !(row.parked || (row.token == null && row.attempts > 0))) {
                return false;
            }
            row.parked = false;
            row.attempts = 0;
            row.release(clock.get());
            return true;
        });
    }

    @Override
    public Optional<DeliveryView> giveUp(long id) {
        return locked(() -> {
            Row row = rows.get(id);
            if (row == null || (!row.parked && isHeld(row))) {
                return Optional.empty();
            }
            DeliveryView removed = view(id);
            rows.remove(id);
            return Optional.of(removed);
        });
    }

    @Override
    public List<ListenerBacklog> backlog(Set<String> known) {
        return locked(() -> rows.values().stream()
                .map(each -> each.to.listener())
                .distinct()
                .sorted()
                .map(each -> backlog(each, known.contains(each)))
                .toList());
    }

    private ListenerBacklog backlog(String listener, boolean known) {
        List<Row> all = rows.values().stream()
                .filter(each -> each.to.listener().equals(listener))
                .toList();
        List<Duration> due = heads(listener).stream()
                .map(this::row)
                .filter(each -> !each.parked && !each.dueAt.isAfter(clock.get()))
                .map(each -> Duration.between(each.dueAt, clock.get()))
                .toList();
        return new ListenerBacklog(
                listener,
                known,
                all.size(),
                due.size(),
                due.stream().max(Duration::compareTo).orElse(Duration.ZERO),
                (int) all.stream().filter(each -> each.parked).count());
    }

    @Override
    public RenewableLeases leases() {
        return leases;
    }

    private final class Leases implements RenewableLeases {

        @Override
        public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) {
            return locked(() -> {
                Set<HeldLease> renewed = stillHeld(keeper, held);
                renewed.forEach(each ->
                        row(Long.parseLong(each.id())).dueAt = clock.get().plus(lease));
                return renewed;
            });
        }

        @Override
        public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
            return locked(() -> held.stream().filter(this::isHeldBy).collect(Collectors.toSet()));
        }

        private boolean isHeldBy(HeldLease each) {
            Row row = rows.get(Long.parseLong(each.id()));
            return row != null && !row.parked && each.token().equals(row.token);
        }
    }
}
