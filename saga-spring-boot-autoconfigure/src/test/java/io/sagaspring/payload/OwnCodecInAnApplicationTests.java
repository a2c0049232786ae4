package io.sagaspring.payload;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.SagaResult;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Runs, sagas and keys write and read all stored values with the application's own codec. */
class OwnCodecInAnApplicationTests {

    private static final Duration SOON = Duration.ofSeconds(20);

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    /** Writes JSON with modified bytes, which no other codec can read. */
    static final class Turned implements PayloadCodec {

        private final JsonPayloadCodec json = new JsonPayloadCodec(100_000);

        @Override
        public String format() {
            return "turned";
        }

        @Override
        public byte[] write(@Nullable Object value) {
            return turned(json.write(value));
        }

        @Override
        public @Nullable Object read(byte[] bytes, Type type) {
            return json.read(turned(bytes), type);
        }

        private static byte[] turned(byte[] bytes) {
            byte[] turned = bytes.clone();
            for (int index = 0; index < turned.length; index++) {
                turned[index] ^= 0x55;
            }
            return turned;
        }
    }

    record Order(String id) {}

    static final class Charge implements DurableRun<Order, String> {
        @Override
        public String run(RunContext run, Order order) {
            return run.step("charge", String.class, () -> "charged " + order.id());
        }
    }

    static final class Checkout implements Saga<Order> {
        @Override
        public void define(SagaDefinition<Order> saga) {
            saga.step("charge", context -> "charged " + context.input().id());
            saga.waitForSignal("approval");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        Turned turned() {
            return new Turned();
        }

        @Bean
        Charge charge() {
            return new Charge();
        }

        @Bean
        Checkout checkout() {
            return new Checkout();
        }
    }

    private Long rowsOfOtherFormats(String table, String column) {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT count(*) FROM %s WHERE %s IS NOT NULL AND %s <> 'turned'".formatted(table, column, column))
                .query(Long.class)
                .single();
    }

    @Test
    void runsSagasAndKeysAreStoredByTheCodecOfTheApplication() throws Exception {
        try (Shop shop = Shop.open(database, application -> application.sources(Beans.class))) {
            String charged =
                    shop.bean(Runs.class).start(Charge.class, new Order("o-1")).await(SOON);
            SagaHandle handle = shop.bean(Sagas.class).start(Checkout.class, new Order("o-2"));
            shop.bean(Sagas.class).signal(handle.id(), "approval", "yes");
            SagaResult checkout = shop.bean(Sagas.class).await(handle.id(), SOON);
            IdempotencyKey key = IdempotencyKey.of("pay", "r-1");
            shop.bean(Idempotency.class).execute(key, Order.class, () -> new Order("o-3"));
            Order replayed = shop.bean(Idempotency.class).execute(key, Order.class, () -> new Order("another"));

            assertThat(charged).isEqualTo("charged o-1");
            assertThat(checkout.state()).isEqualTo(RunState.COMPLETED);
            assertThat(checkout.get("charge", String.class)).isEqualTo("charged o-2");
            assertThat(checkout.get("approval", String.class)).isEqualTo("yes");
            assertThat(Objects.requireNonNull(replayed).id()).isEqualTo("o-3");
            assertThat(rowsOfOtherFormats("saga_run", "format")).isZero();
            assertThat(rowsOfOtherFormats("saga_run", "result_format")).isZero();
            assertThat(rowsOfOtherFormats("saga_step", "format")).isZero();
            assertThat(rowsOfOtherFormats("saga_signal", "CASE WHEN payload <> '' THEN format END"))
                    .isZero();
            assertThat(rowsOfOtherFormats("saga_idempotency_key", "format")).isZero();
        }
    }
}
