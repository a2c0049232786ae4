package io.sagaspring.sample.reminders;

import io.sagaspring.sample.effects.Mailer;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

/** The mail is out before the transaction commits, and stays so if it does not. */
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
