package io.sagaspring.sample;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** Instances of one JVM can start at the same moment, although they share one logging system. */
class SampleNodesTests {

    @Configuration(proxyBeanMethods = false)
    static class Empty {}

    private static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(Empty.class).web(WebApplicationType.NONE);
    }

    private static void runAndClose(SpringApplicationBuilder application) {
        SampleNodes.run(application, "--spring.main.banner-mode=off").close();
    }

    @Test
    void anInstanceWaitsWhileAnotherInstanceInitializesLogging() throws Exception {
        AtomicBoolean hasBegun = new AtomicBoolean();
        Thread second =
                new Thread(() -> runAndClose(application().addBootstrapRegistryInitializer(any -> hasBegun.set(true))));

        runAndClose(application().addBootstrapRegistryInitializer(any -> {
            second.start();
            await().atMost(30, SECONDS).until(() -> hasBegun.get() || second.getState() == Thread.State.WAITING);
            assertThat(hasBegun).isFalse();
        }));

        second.join(SECONDS.toMillis(30));
        assertThat(hasBegun).isTrue();
    }

    @Test
    void instancesCreateTheirBeansAtTheSameTime() {
        CyclicBarrier meeting = new CyclicBarrier(2);

        assertThat(Work.race(2, number -> {
                    runAndClose(application()
                            .initializers(context -> ((GenericApplicationContext) context)
                                    .registerBean(Integer.class, () -> arrivedAt(meeting))));
                    return number;
                }))
                .allSatisfy(instance -> assertThat(instance).succeedsWithin(60, SECONDS));
    }

    private static int arrivedAt(CyclicBarrier meeting) {
        try {
            return meeting.await(30, SECONDS);
        } catch (Exception alone) {
            throw new IllegalStateException("The other instance did not create its beans.", alone);
        }
    }

    @Test
    void afterAnInstanceHasFailedToStartTheNextInstanceCanStart() {
        assertThatIllegalStateException()
                .isThrownBy(() -> runAndClose(application().addBootstrapRegistryInitializer(any -> {
                    throw new IllegalStateException("refused");
                })))
                .withMessage("refused");

        assertThat(CompletableFuture.runAsync(() -> runAndClose(application()))).succeedsWithin(30, SECONDS);
    }
}
