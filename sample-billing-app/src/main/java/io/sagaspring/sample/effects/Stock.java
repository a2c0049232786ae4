package io.sagaspring.sample.effects;

import org.springframework.stereotype.Component;

/** Keeps goods for somebody, or would. */
@Component
public class Stock {

    private final EffectsLedger ledger;

    Stock(EffectsLedger ledger) {
        this.ledger = ledger;
    }

    /**
     * Keeps what was ordered.
     *
     * @param order for which order
     * @param key the same whenever this is asked for again
     */
    public void reserve(String order, String key) {
        ledger.append("reserve", order, key);
    }

    /**
     * Gives free what is kept. Does nothing if nothing is.
     *
     * @param order for which order
     * @param reservation the key under which it is kept
     * @param key the same whenever this is asked for again
     */
    public void release(String order, String reservation, String key) {
        ledger.takeBack(reservation, "release", order, key);
    }
}
