package io.sagaspring.run.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.startup.StartupFaultException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueuesTests {

    private static final RunQueue PSP = RunQueue.named("psp");

    private static RunQueue.Overrides overrides(
            @Nullable Integer atOnce, @Nullable Integer atOnceForEach, @Nullable Boolean keepsPermits) {
        return new RunQueue.Overrides(atOnce, atOnceForEach, keepsPermits, null, null, null, null);
    }

    @Test
    void allFaultsOfAllDeclarationsAreReportedTogether() {
        assertThatThrownBy(() -> new Queues(
                        List.of(PSP.atOnce(0), PSP, RunQueue.named(" "), RunQueue.named("x".repeat(101))),
                        Map.of("mail", overrides(2, 3, null))))
                .isInstanceOf(StartupFaultException.class)
                .hasMessageContaining("Two beans declare the queue 'psp'. Remove one of them, or rename it.")
                .hasMessageContaining("Queue 'psp': at-once=0 lets nothing begin.")
                .hasMessageContaining("The name of queue ' ' is empty or blank.")
                .hasMessageContaining("has 101 characters.")
                .hasMessageContaining("Queue 'mail': at-once-for-each=3 is more than at-once=2");
    }

    @Test
    void propertiesReplaceOnlyTheSettingsThatTheyName() {
        Queues queues = new Queues(List.of(PSP.atOnce(5).atOnceForEach(2)), Map.of("psp", overrides(7, null, true)));

        assertThat(queues.all())
                .extracting(RunQueue::toString)
                .containsExactly("at-once=7, at-once-for-each=2, keeps-permits");
    }

    @Test
    void aStoreThatSupportsNoQueuesIsAFaultIfAQueueIsDeclared() {
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

    @Test
    void impossibleRatesAreReportedAsFaultsWithARemedy() {
        Duration minute = Duration.ofMinutes(1);
        Map<String, RunQueue.Overrides> properties = Map.of(
                "mail", new RunQueue.Overrides(null, null, null, "abc", null, "10/1s", 11),
                "sms", new RunQueue.Overrides(null, null, null, null, 5, null, null));

        assertThatThrownBy(() -> new Queues(
                        List.of(
                                RunQueue.named("none").starts(0, minute),
                                RunQueue.named("many").startsForEach(100_001, minute),
                                RunQueue.named("burst").starts(100, minute, 200).startsForEach(1, minute, 0),
                                RunQueue.named("never").starts(1, Duration.ZERO).startsForEach(1, Duration.ofDays(32))),
                        properties))
                .isInstanceOf(StartupFaultException.class)
                .hasMessageContaining(
                        "Queue 'none': starts=0/1 min lets nothing begin. Use 1 or more, or pause the queue.")
                .hasMessageContaining(
                        "Queue 'many': starts-for-each=100001/1 min is too large. Use at most 100,000 starts.")
                .hasMessageContaining(
                        "Queue 'burst': burst=200 is more than starts=100, so a burst of this size cannot happen. Use at most 100.")
                .hasMessageContaining("Queue 'burst': burst-for-each=0 lets nothing begin. Use 1 or more.")
                .hasMessageContaining(
                        "Queue 'never': starts=1/0 s has a period that is out of range. Use 1 ms to 31 d.")
                .hasMessageContaining(
                        "Queue 'never': starts-for-each=1/32 d has a period that is out of range. Use 1 ms to 31 d.")
                .hasMessageContaining(
                        "Queue 'mail': starts=abc is no rate. Write a number, a slash and a duration, such as 100/1m. (saga.runs.queues.mail)")
                .hasMessageContaining(
                        "Queue 'mail': burst-for-each=11 is more than starts-for-each=10, so a burst of this size cannot happen. Use at most 10. (saga.runs.queues.mail)")
                .hasMessageContaining(
                        "Queue 'sms': burst=5 has no effect without starts. Set starts, or remove burst. (saga.runs.queues.sms)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QueueLimits.atOnce(2).starts(0, minute));
    }

    @Test
    void propertiesReplaceRatesOfBeans() {
        RunQueue bean = PSP.starts(100, Duration.ofMinutes(1)).startsForEach(10, Duration.ofSeconds(1), 2);

        Queues queues =
                new Queues(List.of(bean), Map.of("psp", new RunQueue.Overrides(null, null, null, "50/1m", 5, null, 3)));

        assertThat(queues.all())
                .extracting(RunQueue::toString)
                .containsExactly(
                        "at-once=1000, starts=50/1 min with a burst of 5, starts-for-each=10/1 s with a burst of 3");
    }
}
