package io.sagaspring.sample.billing;

import io.sagaspring.sample.effects.Mailer;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.AfterEffectContext;
import org.springframework.stereotype.Component;

/**
 * Mails each customer after the commit that closes the billing. After a crash between two mails, some mails are sent
 * again.
 */
@Component
class EmailInvoices implements AfterEffect<Billing> {

    private final Mailer mailer;

    EmailInvoices(Mailer mailer) {
        this.mailer = mailer;
    }

    @Override
    public void run(Billing billing, AfterEffectContext context) {
        for (Invoice invoice : billing.liveInvoices()) {
            // All mails of this closing share the context's key. With the invoice's id, each mail gets its own key,
            // which is the same in every delivery.
            mailer.send(invoice.customer(), invoice.number(), "%s:%d".formatted(context.key(), invoice.id()));
        }
    }
}
