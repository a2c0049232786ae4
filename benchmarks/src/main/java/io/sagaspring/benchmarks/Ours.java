package io.sagaspring.benchmarks;

import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;

/** A step of a workflow, called as an application would call it. */
final class Ours implements Contender {

    static final String TABLE = "ball_ours";

    private final Workflows workflows;

    Ours(Workflows workflows) {
        this.workflows = workflows;
    }

    @Override
    public String table() {
        return TABLE;
    }

    @Override
    public boolean tryStroke(long ball, Ball.Stroke stroke) {
        return workflows.run(ClaimApplication.WORKFLOW, ball, stroke.step, ClaimApplication.PLAYER)
                instanceof TransitionOutcome.Completed;
    }
}
