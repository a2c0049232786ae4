package io.sagaspring.idempotency;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many keys owners have: what the database said when it was last asked, and what has been claimed and freed on this node
 * since. So it is no statement on the way of a request, and a few keys more may be stored where several nodes claim at once.
 */
final class KeyQuota {

    private final int most;
    private volatile Map<String, AtomicInteger> known = new ConcurrentHashMap<>();

    /** No limit is 0. */
    KeyQuota(int most) {
        this.most = most;
    }

    int most() {
        return most;
    }

    boolean isLimited() {
        return most > 0;
    }

    boolean isExceededBy(String owner) {
        AtomicInteger count = isLimited() ? known.get(owner) : null;
        return count != null && count.get() >= most;
    }

    void happened(String owner, KeyEvent event) {
        if (isLimited() && (event == KeyEvent.CLAIMED || event == KeyEvent.FREED)) {
            known.computeIfAbsent(owner, any -> new AtomicInteger()).addAndGet(event == KeyEvent.CLAIMED ? 1 : -1);
        }
    }

    /** Returns the database's current answer. */
    void set(Map<String, Integer> counts) {
        Map<String, AtomicInteger> counted = new ConcurrentHashMap<>();
        counts.forEach((owner, count) -> counted.put(owner, new AtomicInteger(count)));
        known = counted;
    }
}
