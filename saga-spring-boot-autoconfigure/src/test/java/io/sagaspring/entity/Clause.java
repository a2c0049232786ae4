package io.sagaspring.entity;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The clauses of the contract that every supported mapping fulfils. */
enum Clause {
    STEP("step", "A step claims the entity, runs its action once and completes."),
    RACE("race", "Four callers run the step at the same time. One of them runs the action."),
    SWEEP("sweep", "The janitor of this node or of another one reverts a claim without heartbeats."),
    FENCE("fence", "An owner that has lost its claim or its ledger row commits nothing."),
    ORPHAN("orphan", "Two searches find the same orphan. It gets one claim, and is reverted."),
    LOST_ANSWER(
            "lost answer",
            "If the answer of the database to the claim or to the commit is lost, nothing is repeated and nothing is lost."),
    KILL("kill", "The process is killed in the action. Another node reverts the claim, and the step can run again."),
    AFTER_EFFECT("after-effect", "A repeated delivery has the same key, and gets the current entity."),
    PROBLEM("problem details", "A refused call gets a 409 with the current status. An invalid id gets a 404."),
    SPELLING("spelling", "A step, an operator and a repeated call can use the text of an id.");

    final String title;
    final String meaning;

    Clause(String title, String meaning) {
        this.title = title;
        this.meaning = meaning;
    }

    /** Marks a test that checks a clause for every mapping. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Shown {
        Clause value();
    }
}
