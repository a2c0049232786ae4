package io.sagaspring.sample.reminders;

import io.sagaspring.sample.effects.Mailer;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

/** Mails before the transaction commits. The mail stays sent if the transaction rolls back. */
@Component
class SendReminder implements StepAction<Reminder> {

    private final Mailer mailer;

    SendReminder(Mailer mailer) {
        this.mailer = mailer;
    }

    @Override
    public ActionResult run(Reminder reminder, ActionContext context) {
        mailer.send("customer@example.org", reminder.about(), "reminder:%d".formatted(reminder.id()));
        return ActionResult.success();
    }
}
