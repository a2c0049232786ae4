package io.sagaspring.sample.effects;

import org.springframework.stereotype.Component;

/** A fake warehouse. */
@Component
public class Stock {

    private final EffectsLedger ledger;

    Stock(EffectsLedger ledger) {
        this.ledger = ledger;
    }

    /**
     * Reserves the goods of an order.
     *
     * @param order the order
     * @param key the effect key, the same in each repeated call
     */
    public void reserve(String order, String key) {
        ledger.append("reserve", order, key);
    }

    /**
     * Releases a reservation. Does nothing if there is no reservation.
     *
     * @param order the order
     * @param reservation the key of the reservation
     * @param key the effect key, the same in each repeated call
     */
    public void release(String order, String reservation, String key) {
        ledger.takeBack(reservation, "release", order, key);
    }
}
