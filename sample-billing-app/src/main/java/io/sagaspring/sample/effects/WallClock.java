package io.sagaspring.sample.effects;

import java.time.Instant;
import org.springframework.stereotype.Component;

/** A fake clock on a wall. */
@Component
public class WallClock {

    private final EffectsLedger ledger;

    WallClock(EffectsLedger ledger) {
        this.ledger = ledger;
    }

    /**
     * Ticks.
     *
     * @param at the instant for which the clock ticks
     * @param key the key of the tick, the same in each repeated call
     */
    public void tick(Instant at, String key) {
        ledger.append("tick", at.toString(), key);
    }
}
