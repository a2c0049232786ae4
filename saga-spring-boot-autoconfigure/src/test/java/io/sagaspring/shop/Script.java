package io.sagaspring.shop;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.AfterEffectContext;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.StepValidation;
import java.util.List;

/** The code of the shop's beans. A test can replace this code before it runs a step. */
public final class Script implements StepAction<Parcel>, StepValidation<Parcel>, AfterEffect<Parcel> {

    public volatile StepAction<Parcel> action = (parcel, context) -> {
        parcel.note("sent by " + context.requester());
        return ActionResult.success();
    };

    public volatile StepValidation<Parcel> validation = (parcel, context) -> List.of();

    public volatile AfterEffect<Parcel> afterEffect = (parcel, context) -> {};

    @Override
    public ActionResult run(Parcel parcel, ActionContext context) throws Exception {
        return action.run(parcel, context);
    }

    @Override
    public List<String> validate(Parcel parcel, ActionContext context) throws Exception {
        return validation.validate(parcel, context);
    }

    @Override
    public void run(Parcel parcel, AfterEffectContext context) throws Exception {
        afterEffect.run(parcel, context);
    }
}
