package io.sagaspring.sample.effects;

import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** A fake payment provider. */
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
     * @param order the order to pay
     * @param amountCents the amount
     * @param paymentToken the token of the card
     * @param key the effect key, the same in each repeated call
     * @return the provider's number of the charge
     */
    public String charge(String order, long amountCents, String paymentToken, String key) {
        ledger.append("charge", order, key);
        logger.info("Charged {} cents for order {}", amountCents, order);
        return "ch_" + UUID.randomUUID();
    }

    /**
     * Refunds a charge. Does nothing if there is no charge.
     *
     * @param order the paid order
     * @param charge the key of the charge
     * @param key the effect key, the same in each repeated call
     */
    public void refund(String order, String charge, String key) {
        ledger.takeBack(charge, "refund", order, key);
        logger.info("Refunded the charge for order {}, if there was one", order);
    }

    /**
     * Begins a payout.
     *
     * @param reference the name that the client has given to the payout
     * @param key the effect key, the same in each repeated call
     */
    public void beginPayout(String reference, String key) {
        ledger.append("payout_begin", reference, key);
    }

    /**
     * Pays out.
     *
     * @param reference the name that the client has given to the payout
     * @param amountCents the amount
     * @param key the effect key, the same in each repeated call
     */
    public void payOut(String reference, long amountCents, String key) {
        ledger.append("payout", reference, key);
        logger.info("Paid out {} cents for {}", amountCents, reference);
    }
}
