package io.sagaspring.sample.effects;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** A fake mail server. */
@Component
public class Mailer {

    private static final Logger logger = LoggerFactory.getLogger(Mailer.class);

    private final EffectsLedger ledger;

    Mailer(EffectsLedger ledger) {
        this.ledger = ledger;
    }

    /**
     * Sends a mail.
     *
     * @param to the address
     * @param about the subject, such as an invoice's number
     * @param key the key of the mail, the same in each repeated call
     */
    public void send(String to, String about, String key) {
        ledger.append("email", about, key);
        logger.info("Mailed {} to {}", about, to);
    }
}
