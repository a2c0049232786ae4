package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.listener.DurableListener;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.Retry;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.Sagas;
import io.sagaspring.saga.StepState;
import io.sagaspring.saga.StepView;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.RunSchedule;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An application with a web server, and a client of it. */
final class DashboardApp implements AutoCloseable {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final HttpClient client = HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final ConfigurableApplicationContext context;

    private DashboardApp(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts once a year. */
    @RunSchedule(name = "yearly", cron = "0 0 0 1 1 *", zone = "UTC")
    static final class Report implements DurableRun<Firing, String> {

        @Override
        public String run(RunContext run, Firing firing) {
            return "done";
        }
    }

    /** Waits for a signal. */
    static final class Charge implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String card) {
            return run.awaitSignal("amount", String.class);
        }
    }

    /** A saga whose second step fails. */
    static final class Trip implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("book", context -> "secret-seat").compensate(context -> {});
            saga.step("pay", context -> {
                throw new IllegalStateException("<script>alert(1)</script>");
            });
        }
    }

    /** A saga that waits for a callback, and then for a signal. */
    static final class Parcel implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("ship", context -> null)
                    .async()
                    .retry(Retry.retry().max(2).delay(Duration.ofMillis(1)));
            saga.waitForSignal("approval");
        }
    }

    /** Sends a mail for each order. */
    static class Mails {

        record Ordered(String customer) {}

        @DurableListener(id = "mail")
        void send(Ordered order) {}
    }

    @Configuration
    @EnableAutoConfiguration
    static class App {

        @Bean
        Charge charge() {
            return new Charge();
        }

        @Bean
        Report report() {
            return new Report();
        }

        @Bean
        Trip trip() {
            return new Trip();
        }

        @Bean
        Parcel parcel() {
            return new Parcel();
        }

        @Bean
        Mails mails() {
            return new Mails();
        }

        @Bean
        RunQueue psp() {
            return RunQueue.named("psp").atOnce(50);
        }
    }

    /** Starts the application as if Spring Security were not on the class path. */
    static DashboardApp withoutSecurity(TestDatabase database, String... properties) {
        return start(
                database,
                application -> application.resourceLoader(
                        new DefaultResourceLoader(new FilteredClassLoader("org.springframework.security"))),
                Stream.concat(Stream.of("saga.dashboard.access=read-only"), Stream.of(properties))
                        .toArray(String[]::new));
    }

    static DashboardApp start(TestDatabase database, Consumer<SpringApplicationBuilder> changes, String... properties) {
        return start(connection(database), changes, properties);
    }

    /** Returns the properties by which an application connects to a database. */
    static List<String> connection(TestDatabase database) {
        return List.of(
                "spring.datasource.url=" + database.getJdbcUrl(),
                "spring.datasource.username=" + database.getUsername(),
                "spring.datasource.password=" + database.getPassword());
    }

    static DashboardApp start(
            List<String> connection, Consumer<SpringApplicationBuilder> changes, String... properties) {
        List<String> all = new ArrayList<>(connection);
        all.addAll(List.of(
                "server.port=0",
                // The tests also pass if the machine stops for some seconds.
                "saga.dashboard.statement-timeout=1m",
                "spring.main.banner-mode=off",
                "saga.runs.poll-interval=50ms",
                "saga.sagas.callback-keys=a-secret-of-at-least-32-characters",
                "saga.runs.defaults.retry.max-attempts=1",
                "spring.jpa.open-in-view=false"));
        all.addAll(List.of(properties));
        SpringApplicationBuilder application =
                new SpringApplicationBuilder(App.class).properties(all.toArray(String[]::new));
        changes.accept(application);
        return new DashboardApp(application.run());
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    DashboardSources sources() {
        return new DashboardSources(context);
    }

    ListableBeanFactory beans() {
        return context;
    }

    JdbcClient sql() {
        return JdbcClient.create(context.getBean(javax.sql.DataSource.class));
    }

    void awaitState(RunId id, RunState state) {
        Awaitility.await()
                .atMost(SOON)
                .until(() -> bean(Runs.class).find(id).orElseThrow().state() == state);
    }

    void awaitAttempt(RunId saga, String step, int attempt) {
        awaitStep(saga, step, found -> found.attempt() == attempt);
    }

    void awaitSignal(RunId saga, String step) {
        awaitStep(saga, step, found -> true);
    }

    private void awaitStep(RunId saga, String step, Predicate<StepView> condition) {
        Awaitility.await().atMost(SOON).until(() -> {
            StepView found =
                    bean(Sagas.class).find(saga).orElseThrow().step(step).orElseThrow();
            return found.state() == StepState.WAITING && condition.test(found);
        });
        awaitState(saga, RunState.WAITING);
    }

    HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, headers);
    }

    HttpResponse<String> post(String path, String body, String... headers) {
        return send("POST", path, HttpRequest.BodyPublishers.ofString(body), headers);
    }

    HttpResponse<String> send(String method, String path, String... headers) {
        return send(method, path, HttpRequest.BodyPublishers.noBody(), headers);
    }

    private HttpResponse<String> send(String method, String path, HttpRequest.BodyPublisher body, String... headers) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(SOON)
                .method(method, body);
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** Reads data that must be there. */
    JsonNode read(String path, String... headers) {
        HttpResponse<String> response = get(path, headers);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    static @Nullable String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse(null);
    }

    @Override
    public void close() {
        context.close();
    }
}
