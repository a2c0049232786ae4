package com.example.docs.claims;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

@Component
class RenderReport implements StepAction<Report> {

    @Override
    public ActionResult run(Report report, ActionContext context) {
        Layout layout = context.input(Layout.class);
        if (layout.paper().isBlank()) {
            return ActionResult.invalid("Choose a paper.");
        }
        report.renderedOn(layout.paper());
        return ActionResult.success();
    }
}
