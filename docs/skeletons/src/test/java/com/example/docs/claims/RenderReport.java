package com.example.docs.claims;

import com.example.docs.claims.ReportController.Layout;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

@Component
class RenderReport implements StepAction<Report> {

    @Override
    public ActionResult run(Report report, ActionContext context) {
        Layout layout = context.input(Layout.class);
        return layout.paper().isBlank() ? ActionResult.invalid("Choose a paper.") : ActionResult.success();
    }
}
