package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The text of a step or a person stays on one line in the message of a run's exception. */
class ForeignTextInRunsTests {

    private static final String FORGED = "late\n2026-11-23 INFO admin logged in\u001b[31m";
    private static final String ONE_LINE = "late\\n2026-11-23 INFO admin logged in\\u001b[31m";

    @Test
    void theMessageAboutACancellationIsOnOneLine() {
        assertThat(new RunStoppedException(true, false, FORGED)).hasMessage("The run was cancelled: " + ONE_LINE);
    }

    @Test
    void theMessageAboutAFailedStepIsOnOneLine() {
        assertThat(new StepFailedException("ship", FORGED, null)).hasMessage("Step 'ship' failed: " + ONE_LINE);
    }
}
