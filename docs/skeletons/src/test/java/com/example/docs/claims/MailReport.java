package com.example.docs.claims;

import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.AfterEffectContext;
import org.springframework.stereotype.Component;

@Component
class MailReport implements AfterEffect<Report> {

    private final Mailer mailer;

    MailReport(Mailer mailer) {
        this.mailer = mailer;
    }

    @Override
    public void run(Report report, AfterEffectContext context) {
        mailer.send("Report %d is rendered.".formatted(report.id()), context.key());
    }

    /** The mail service, which drops a mail whose key it knows. */
    interface Mailer {
        void send(String text, String key);
    }
}
