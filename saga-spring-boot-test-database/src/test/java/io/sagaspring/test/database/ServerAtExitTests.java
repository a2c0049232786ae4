package io.sagaspring.test.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class ServerAtExitTests {

    /** How long the context takes to close. The server stops much faster. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    @Test
    void aContextThatIsClosedAtTheEndOfTheJvmStillHasItsDatabase() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        Main.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output).contains("closed with its database").doesNotContain("lost");
    }

    /** An application that ends without closing its context. */
    static final class Main {

        @Configuration(proxyBeanMethods = false)
        static class Application {

            @Bean
            Worker worker() {
                return new Worker(TestDatabase.create());
            }
        }

        public static void main(String[] arguments) {
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .run()) {
                assertThat(context.isActive()).isTrue();
                System.exit(0);
            }
        }
    }

    /** A bean that needs its database until it is closed. */
    record Worker(TestDatabase database) implements AutoCloseable {

        @Override
        public void close() {
            long until = System.nanoTime() + CLOSING.toNanos();
            while (System.nanoTime() < until) {
                try (Connection connection = database.dataSource().getConnection()) {
                    assertThat(connection.isValid(10)).isTrue();
                } catch (SQLException lost) {
                    System.out.println("lost: " + lost);
                    return;
                }
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
            System.out.println("closed with its database");
        }
    }
}
