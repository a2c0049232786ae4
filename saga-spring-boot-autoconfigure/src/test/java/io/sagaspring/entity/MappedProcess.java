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
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A node with an entity of every mapping, in its own JVM. Each line that it reads names a mapping and an id, and the
 * node runs the step of that entity. It reports when the action has written. The action never ends.
 */
final class MappedProcess {

    private MappedProcess() {}

    public static void main(String[] settings) throws IOException {
        PrintStream output = System.out;
        System.setOut(System.err);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(
                        Shop.application(), MappedShop.Mapped.class)
                .web(WebApplicationType.NONE)
                .properties(Shop.settings())
                .properties(MappedShop.properties())
                .run(settings);
        MappedShop.acting = (entity, step) -> {
            context.getBean(JdbcTemplate.class).update("INSERT INTO written VALUES (1)");
            output.println("INSIDE");
            new CountDownLatch(1).await();
            throw new IllegalStateException("This action does not end.");
        };
        output.println("READY");
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                run(context, Mapping.valueOf(line.substring(0, space)), line.substring(space + 1));
            }
        }
        // The input is closed, so the test has ended.
        Runtime.getRuntime().halt(0);
    }

    private static void run(ConfigurableApplicationContext context, Mapping mapping, String id) {
        Thread thread = new Thread(
                () -> {
                    TransitionOutcome unused =
                            context.getBean(Workflows.class).run(mapping.workflow(), id, "close", Shop.ADMIN);
                },
                "closes " + mapping);
        thread.setDaemon(true);
        thread.start();
    }
}
