package io.sagaspring.entity;

import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A node in its own JVM. Each line that it reads has a kind of entity and an id, and the node runs the entity's step.
 * It reports when the action has written. The action never ends.
 */
final class ClaimedProcess {

    private ClaimedProcess() {}

    static void run(SpringApplicationBuilder application, String[] settings, Function<String, Claimed> kinds)
            throws IOException {
        PrintStream output = System.out;
        System.setOut(System.err);
        ConfigurableApplicationContext context = application.run(settings);
        ClaimedShop.acting = (entity, step) -> {
            context.getBean(JdbcTemplate.class).update("INSERT INTO written VALUES (1)");
            output.println("INSIDE");
            new CountDownLatch(1).await();
            throw new IllegalStateException("This action does not end.");
        };
        output.println("READY");
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                close(context, kinds.apply(line.substring(0, space)), line.substring(space + 1));
            }
        }
        // The test has ended.
        Runtime.getRuntime().halt(0);
    }

    private static void close(ConfigurableApplicationContext context, Claimed kind, String id) {
        Thread thread = new Thread(
                () -> {
                    TransitionOutcome unused =
                            context.getBean(Workflows.class).run(kind.workflow(), id, "close", Shop.ADMIN);
                },
                "closes " + kind);
        thread.setDaemon(true);
        thread.start();
    }
}
