package io.sagaspring.sample.effects;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Sends mails, or would. */
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
     * @param about what the mail is about, such as an invoice's number
     * @param key the same whenever this mail is sent again
     */
    public void send(String to, String about, String key) {
        ledger.append("email", about, key);
        logger.info("Mailed {} to {}", about, to);
    }
}
