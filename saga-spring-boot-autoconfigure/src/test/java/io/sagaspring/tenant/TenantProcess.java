package io.sagaspring.tenant;

import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A node with tenants, in its own JVM. Each line of its input names a tenant and a job. The node runs the job's step,
 * and reports each step that has ended. If the line ends with "hold", the action of the step never returns.
 */
final class TenantProcess {

    private static final int THREADS = 8;
    private static final ThreadLocal<Boolean> holding = ThreadLocal.withInitial(() -> false);

    private TenantProcess() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream output = System.out;
        System.setOut(System.err);
        Class<?> configuration = Class.forName(arguments[0]);
        Class<?> job = Class.forName(arguments[1]);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(TenantApplication.class, configuration)
                .web(WebApplicationType.NONE)
                .properties(TenantApplication.settings(job))
                .run(java.util.Arrays.copyOfRange(arguments, 2, arguments.length));
        TenantApplication.acting = (entity, step) -> {
            if (holding.get()) {
                output.println("HOLDS");
                new CountDownLatch(1).await();
            }
            entity.note("closed for " + context.getBean(ThreadTenants.class).current());
            return ActionResult.success();
        };
        TenantApplication.following = TenantLog.following(context);
        output.println("READY");
        serve(context, TenantApplication.workflow(job), output);
    }

    private static void serve(ConfigurableApplicationContext context, String workflow, PrintStream output)
            throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] parts = line.split(" ", -1);
                threads.execute(() -> {
                    holding.set(parts.length > 2);
                    TransitionOutcome outcome = context.getBean(Tenants.class)
                            .in(
                                    parts[0],
                                    () -> context.getBean(Workflows.class)
                                            .run(workflow, parts[1], "close", Shop.ADMIN));
                    output.println("ENDED " + outcome.getClass().getSimpleName());
                });
            }
        }
        // The input has ended, so the test has ended, too.
        Runtime.getRuntime().halt(0);
    }
}
