package io.sagaspring.quiet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the classes of {@link Samples} in the way that a build runs test classes. */
@ExpectsErrors("Samples")
class QuietTestsTests {

    private @TempDir Path directory = Path.of("");
    private final ByteArrayOutputStream console = new ByteArrayOutputStream();

    @Test
    void aClassFailsIfItLogsAnErrorThatNoTestExpects() {
        TestExecutionSummary summary = run(Samples.Unexpected.class);

        assertThat(summary.getTestsFailedCount()).isZero();
        assertThat(summary.getContainersFailedCount()).isOne();
        assertThat(failure(summary))
                .contains("Unexpected logged errors that none of its tests expects")
                .contains(
                        "Samples$Unexpected: nobody expects this\n    caused by java.lang.IllegalStateException: why");
    }

    @Test
    void anErrorOnAnotherThreadFailsTheClass() {
        assertThat(failure(run(Samples.InAnotherThread.class))).contains("nobody expects this");
    }

    @Test
    void anUnexpectedErrorInANestedClassIsReported() {
        assertThat(failure(run(Samples.Around.class)))
                .contains("nobody expects this")
                .doesNotContain("known");
    }

    @Test
    void aTestFailsIfItDoesNotLogTheErrorThatItExpects() {
        TestExecutionSummary summary = run(Samples.Silent.class);

        assertThat(summary.getTestsFailedCount()).isOne();
        assertThat(failure(summary)).isEqualTo("No error with 'never logged' was logged within 0 s");
    }

    @Test
    void expectedErrorsPassAndAreNotPrinted() throws IOException {
        TestExecutionSummary summary = run(Samples.Expected.class);

        assertThat(summary.getTotalFailureCount()).isZero();
        assertThat(console.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(printedBy(Samples.Expected.class)).contains("ERROR", "as announced", "printed");
    }

    @Test
    void theOutputOfAClassIsShownWhenATestFails() throws IOException {
        run(Samples.Failing.class);

        assertThat(console.toString(StandardCharsets.UTF_8))
                .contains("---- Output of io.sagaspring.quiet.Samples$Failing until the failure of fails()")
                .containsOnlyOnce("\nprinted\n");
        assertThat(printedBy(Samples.Failing.class)).contains("printed");
    }

    private String printedBy(Class<?> sample) throws IOException {
        return Files.readString(directory.resolve(sample.getName() + ".txt"));
    }

    private TestExecutionSummary run(Class<?> sample) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        try (PrintStream stream = new PrintStream(console, true, StandardCharsets.UTF_8)) {
            System.setOut(stream);
            TestOutput output = TestOutput.instead();
            QuietConsole quiet = new QuietConsole(directory.toString(), () -> output);
            LauncherFactory.create(LauncherConfig.builder()
                            .enableTestExecutionListenerAutoRegistration(false)
                            .build())
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(sample))
                                    .configurationParameter(ErrorGate.PATIENCE_PARAMETER, "PT0S")
                                    .build(),
                            quiet,
                            summary);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return summary.getSummary();
    }

    private static String failure(TestExecutionSummary summary) {
        assertThat(summary.getFailures()).hasSize(1);
        return String.valueOf(summary.getFailures().get(0).getException().getMessage());
    }
}
