package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.tenant.TenantContext;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.test.database.TestDatabase;
import java.lang.reflect.Type;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import tools.jackson.databind.JsonNode;

/** An application with tenants, whose codec reads a value only in the tenant to which the value belongs. */
class TenantReadingTests {

    private static TestDatabase database;
    private static DashboardApp app;

    /** Remembers each tenant that it was asked to enter. */
    static final class Offices implements TenantContext {

        private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();
        private static final Set<String> ENTERED = new CopyOnWriteArraySet<>();

        @Override
        public @Nullable String current() {
            return CURRENT.get();
        }

        @Override
        public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
            ENTERED.add(String.valueOf(tenant));
            String before = CURRENT.get();
            CURRENT.set(tenant);
            try {
                return work.call();
            } finally {
                CURRENT.set(before);
            }
        }

        @Override
        public Collection<String> all() {
            return List.of("acme", "beta");
        }
    }

    /** Throws an exception of its own if a value is read in another tenant. */
    static final class Strict implements PayloadCodec {

        private final JsonPayloadCodec json = new JsonPayloadCodec(100_000);

        @Override
        public String format() {
            return "strict";
        }

        @Override
        public byte[] write(@Nullable Object value) {
            byte[] written = json.write(value);
            byte[] marked = new byte[written.length + 1];
            marked[0] = mark();
            System.arraycopy(written, 0, marked, 1, written.length);
            return marked;
        }

        @Override
        public @Nullable Object read(byte[] bytes, Type type) {
            if (bytes[0] != mark()) {
                throw new IllegalStateException("The value belongs to another tenant.");
            }
            return json.read(Arrays.copyOfRange(bytes, 1, bytes.length), type);
        }

        private static byte mark() {
            return (byte) String.valueOf(Offices.CURRENT.get()).charAt(0);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        TenantContext offices() {
            return new Offices();
        }

        @Bean
        PayloadCodec strict() {
            return new Strict();
        }
    }

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        app = DashboardApp.start(
                database,
                application -> application
                        .sources(Beans.class, ParcelShop.class)
                        .resourceLoader(
                                new DefaultResourceLoader(new FilteredClassLoader("org.springframework.security"))),
                Stream.concat(
                                Stream.of(ParcelShop.PROPERTIES),
                                Stream.of("saga.dashboard.access=unrestricted", "saga.dashboard.payloads=shown"))
                        .toArray(String[]::new));
    }

    @AfterAll
    static void close() {
        app.close();
        database.close();
    }

    @Test
    void theValuesOfARunAreReadInItsTenant() {
        RunId id = app.bean(Tenants.class).in("acme", () -> {
            RunId started = app.bean(Runs.class)
                    .start(DashboardApp.Charge.class, "card")
                    .id();
            app.bean(Runs.class).signal(started, "amount", "7");
            return started;
        });
        app.awaitState(id, RunState.COMPLETED);
        // One value can no longer be read.
        app.sql()
                .sql("UPDATE saga_run SET input = 'x'::bytea || substr(input, 2) WHERE id = ?")
                .param(id.value())
                .update();

        JsonNode items = app.read("/saga/api/payloads?id=" + id).get("items");

        assertThat(items.valueStream().map(each -> each.path("text").asString("unreadable")))
                .containsExactly("unreadable", "\"7\"", "\"7\"");
    }

    @Test
    void theStepsOfASagaAreReadInItsTenant() {
        RunId id = app.bean(Tenants.class)
                .in(
                        "beta",
                        () -> app.bean(Sagas.class)
                                .start(DashboardApp.Trip.class, "rome")
                                .id());
        app.awaitState(id, RunState.FAILED);

        JsonNode found = app.read("/saga/api/run?id=" + id);

        assertThat(found.get("saga").get("steps").toString()).contains("book", "pay");
    }

    @Test
    void aTenantThatTheApplicationDoesNotListIsNotEntered() {
        String unknown = "x';SET search_path TO evil";

        HttpResponse<String> response = app.get(
                "/saga/api/entity?workflow=shipping&id=1&tenant=" + URLEncoder.encode(unknown, StandardCharsets.UTF_8));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(404);
        assertThat(response.body()).contains("no such tenant");
        assertThat(Offices.ENTERED).doesNotContain(unknown);
    }
}
