package io.sagaspring.idempotency;

import io.sagaspring.idempotency.KeyTable.Owner;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The limit of keys per owner, in each tenant. Each node uses the counts that it last read from the database, plus its
 * own claims and minus its own releases since then. A request therefore needs no extra statement.
 *
 * <p>The limit is approximate. A node does not see the claims that other nodes make between two counts. If an owner had
 * at most half of the limit at the last count, the count omits the owner, and the node counts from zero.
 */
final class KeyQuota {

    private final int most;
    private volatile Map<Owner, AtomicInteger> known = new ConcurrentHashMap<>();

    /** Creates a quota; 0 means no limit. */
    KeyQuota(int most) {
        this.most = most;
    }

    int most() {
        return most;
    }

    boolean isLimited() {
        return most > 0;
    }

    boolean isExceededBy(Owner owner) {
        AtomicInteger count = isLimited() ? known.get(owner) : null;
        return count != null && count.get() >= most;
    }

    void happened(Owner owner, KeyEvent event) {
        if (isLimited() && (event == KeyEvent.CLAIMED || event == KeyEvent.FREED)) {
            known.computeIfAbsent(owner, any -> new AtomicInteger()).addAndGet(event == KeyEvent.CLAIMED ? 1 : -1);
        }
    }

    /** Replaces the counts with those that were read from the database. */
    void set(Map<Owner, Integer> counts) {
        Map<Owner, AtomicInteger> counted = new ConcurrentHashMap<>();
        counts.forEach((owner, count) -> counted.put(owner, new AtomicInteger(count)));
        known = counted;
    }
}
