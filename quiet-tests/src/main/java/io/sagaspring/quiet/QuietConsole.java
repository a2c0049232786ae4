package io.sagaspring.quiet;

import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Redirects the output of test classes to files. Each class has a file, which is shown on the console when a test
 * fails. Without a directory for the files, as in an IDE, everything goes to the console directly.
 */
public final class QuietConsole implements TestExecutionListener {

    /**
     * The output of this JVM. All listeners share it, because each test class may have its own launcher and listener.
     */
    private static @Nullable TestOutput ofThisJvm;

    private final String directory;
    private final Supplier<TestOutput> output;
    private @Nullable TestIdentifier current;
    private String className = "";

    /** Called by JUnit. Without the system property {@code tests.output}, the listener does nothing. */
    public QuietConsole() {
        this(System.getProperty("tests.output", ""), QuietConsole::ofThisJvm);
    }

    QuietConsole(String directory, Supplier<TestOutput> output) {
        this.directory = directory;
        this.output = output;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (!directory.isBlank() && current == null && test.getSource().orElse(null) instanceof ClassSource testClass) {
            current = test;
            className = testClass.getClassName();
            output.get().begin(Path.of(directory, className + ".txt"));
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (current != null && result.getStatus() == Status.FAILED) {
            output.get().show("Output of %s until the failure of %s".formatted(className, test.getDisplayName()));
        }
        if (current != null && current.equals(test)) {
            current = null;
        }
    }

    private static synchronized TestOutput ofThisJvm() {
        TestOutput known = ofThisJvm;
        if (known == null) {
            known = TestOutput.instead();
            ofThisJvm = known;
        }
        return known;
    }
}
