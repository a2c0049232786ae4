package io.sagaspring.sample.billing;

import io.sagaspring.sample.effects.Mailer;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.AfterEffectContext;
import org.springframework.stereotype.Component;

/** Mails each customer, once the billing is closed and committed. A crash in between means that some are mailed again. */
@Component
class EmailInvoices implements AfterEffect<Billing> {

    private final Mailer mailer;

    EmailInvoices(Mailer mailer) {
        this.mailer = mailer;
    }

    @Override
    public void run(Billing billing, AfterEffectContext context) {
        for (Invoice invoice : billing.liveInvoices()) {
            // The context's key is that of all mails of this closing; each has its own, the same in every delivery.
            mailer.send(invoice.customer(), invoice.number(), "%s:%d".formatted(context.key(), invoice.id()));
        }
    }
}
