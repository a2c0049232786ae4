package io.sagaspring.sample.effects;

import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Moves money, or would. */
@Component
public class PaymentProvider {

    private static final Logger logger = LoggerFactory.getLogger(PaymentProvider.class);

    private final EffectsLedger ledger;

    PaymentProvider(EffectsLedger ledger) {
        this.ledger = ledger;
    }

    /**
     * Charges a card.
     *
     * @param order what is paid
     * @param amountCents how much
     * @param paymentToken stands for the card
     * @param key the same whenever this is asked for again
     * @return how the provider calls the charge
     */
    public String charge(String order, long amountCents, String paymentToken, String key) {
        ledger.append("charge", order, key);
        logger.info("Charged {} cents for order {}", amountCents, order);
        return "ch_" + UUID.randomUUID();
    }

    /**
     * Gives back what was charged. Does nothing if nothing was.
     *
     * @param order what was paid
     * @param charge the key under which it was charged
     * @param key the same whenever this is asked for again
     */
    public void refund(String order, String charge, String key) {
        ledger.takeBack(charge, "refund", order, key);
        logger.info("Refunded what was charged for order {}", order);
    }
}
