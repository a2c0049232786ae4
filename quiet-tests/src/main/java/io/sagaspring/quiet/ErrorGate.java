package io.sagaspring.quiet;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Fails a test that does not log the errors it expects, and a test class that logs other errors. Other errors fail
 * the class and not the test, because threads may log after their test has ended.
 */
public final class ErrorGate implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    private static final Namespace OURS = Namespace.create(ErrorGate.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** The configuration parameter that changes the longest wait for an expected error. */
    static final String PATIENCE_PARAMETER = "tests.patience";

    private record Watch(LoggedErrors logged, Set<String> expected) {}

    /** Called by JUnit. */
    public ErrorGate() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        if (isOutermost(context)) {
            Watch watch = new Watch(new LoggedErrors(), ConcurrentHashMap.newKeySet());
            context.getStore(OURS).put(Watch.class, watch);
            ErrorAppender.start(watch.logged);
        }
        watch(context).expected.addAll(expectedBy(context));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        Watch watch = watch(context);
        watch.expected.addAll(expectedBy(context));
        watch.logged.begin(context.getRequiredTestMethod().getName());
    }

    @Override
    public void afterEach(ExtensionContext context) throws InterruptedException {
        if (context.getExecutionException().isPresent()) {
            return;
        }
        Duration patience = context.getConfigurationParameter(PATIENCE_PARAMETER, Duration::parse)
                .orElse(PATIENCE);
        for (String text : expectedBy(context)) {
            if (!watch(context).logged.await(text, patience)) {
                throw new AssertionError(
                        "No error with '%s' was logged within %d s".formatted(text, patience.toSeconds()));
            }
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (!isOutermost(context)) {
            return;
        }
        Watch watch = watch(context);
        ErrorAppender.stop(watch.logged);
        List<String> unexpected = watch.logged.without(watch.expected);
        if (!unexpected.isEmpty()) {
            throw new AssertionError("%s logged errors that none of its tests expects with @ExpectsErrors:%n%s"
                    .formatted(context.getDisplayName(), String.join("\n", unexpected)));
        }
    }

    private static boolean isOutermost(ExtensionContext context) {
        return context.getEnclosingTestClasses().isEmpty();
    }

    private static Watch watch(ExtensionContext context) {
        return Objects.requireNonNull(context.getStore(OURS).get(Watch.class, Watch.class));
    }

    /** Returns the texts that this class or method expects, without those of its enclosing classes. */
    private static List<String> expectedBy(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), ExpectsErrors.class)
                .map(expected -> List.of(expected.value()))
                .orElse(List.of());
    }
}
