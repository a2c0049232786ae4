package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a step or a person says of a run stays within one line where it becomes the message of an exception. */
class ForeignTextInRunsTests {

    private static final String FORGED = "late\n2026-11-23 INFO admin logged in\u001b[31m";
    private static final String ONE_LINE = "late\\n2026-11-23 INFO admin logged in\\u001b[31m";

    @Test
    void theReasonOfACancellationIsOneLine() {
        assertThat(new RunStoppedException(true, false, FORGED)).hasMessage("The run was cancelled: " + ONE_LINE);
    }

    @Test
    void theMessageOfAFailedStepIsOneLine() {
        assertThat(new StepFailedException("ship", FORGED, null)).hasMessage("Step 'ship' failed: " + ONE_LINE);
    }
}
