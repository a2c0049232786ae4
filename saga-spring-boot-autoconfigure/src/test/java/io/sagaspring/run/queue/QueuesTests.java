package io.sagaspring.run.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.startup.StartupFaultException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QueuesTests {

    private static final RunQueue PSP = RunQueue.named("psp");

    @Test
    void allFaultsOfAllDeclarationsAreReportedTogether() {
        assertThatThrownBy(() -> new Queues(
                        List.of(PSP.atOnce(0), PSP, RunQueue.named(" "), RunQueue.named("x".repeat(101))),
                        Map.of("mail", new RunQueue.Overrides(2, 3, null))))
                .isInstanceOf(StartupFaultException.class)
                .hasMessageContaining("Two beans declare the queue 'psp'. Remove one of them, or rename it.")
                .hasMessageContaining("Queue 'psp': at-once=0 lets nothing begin.")
                .hasMessageContaining("The name of queue ' ' has 1 characters.")
                .hasMessageContaining("has 101 characters.")
                .hasMessageContaining("Queue 'mail': at-once-for-each=3 is more than at-once=2");
    }

    @Test
    void propertiesReplaceOnlyWhatTheyName() {
        Queues queues = new Queues(
                List.of(PSP.atOnce(5).atOnceForEach(2)), Map.of("psp", new RunQueue.Overrides(7, null, true)));

        assertThat(queues.all())
                .extracting(RunQueue::toString)
                .containsExactly("at-once=7, at-once-for-each=2, keeps-permits");
    }

    @Test
    void aStoreWithoutQueuesIsAFaultIfThereAreQueues() {
        Queues.NONE.requireStore(false);
        Queues queues = new Queues(List.of(PSP), Map.of());
        queues.requireStore(true);
        assertThatThrownBy(() -> queues.requireStore(false))
                .isInstanceOf(StartupFaultException.class)
                .hasMessageContaining("[psp]")
                .hasMessageContaining("Declare a QueueStore bean");
    }

    @Test
    void impossibleLimitsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> QueueLimits.atOnce(0));
        assertThatIllegalArgumentException().isThrownBy(() -> QueueLimits.atOnce(10_001));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QueueLimits.atOnce(2).atOnceForEach(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QueueLimits.atOnce(2).atOnceForEach(3));
        assertThat(QueueLimits.atOnce(10_000).atOnceForEach(10_000)).isNotNull();
    }
}
