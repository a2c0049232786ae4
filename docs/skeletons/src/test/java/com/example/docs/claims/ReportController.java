package com.example.docs.claims;

import io.sagaspring.definition.Requester;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionRequest;
import io.sagaspring.workflow.Workflows;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ReportController {

    private final Workflows workflows;

    ReportController(Workflows workflows) {
        this.workflows = workflows;
    }

    @PostMapping("/reports/{id}/render")
    TransitionOutcome.Completed render(@PathVariable long id, @RequestBody Layout layout, HttpServletRequest http) {
        TransitionRequest request = TransitionRequest.of("report", id, "render", requester(http))
                .with(layout) // the action's input
                .ofVersion(layout.version()); // the version that the client has read
        return workflows.run(request).orElseThrow();
    }

    /** Takes the requester from the authenticated user, never from a header or a parameter of the client. */
    private static Requester requester(HttpServletRequest http) {
        return Requester.of(http.isUserInRole("EDITOR") ? "editor" : "author");
    }
}
