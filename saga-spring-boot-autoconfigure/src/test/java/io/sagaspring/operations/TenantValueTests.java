package io.sagaspring.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.operations.OperationResult.Result;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.tenant.TenantContext;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import io.sagaspring.test.database.TestDatabase;
import java.lang.reflect.Type;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A person sends values to runs of tenants. The application's codec has a key for each tenant. */
class TenantValueTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Operator ADA = Operator.named("ada");

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private static final ThreadTenants TENANTS = new ThreadTenants("acme", "gone");

    /** Turns the bytes by the name of the tenant, as an encryption with the tenant's key would. */
    static final class PerTenant implements PayloadCodec {

        private final JsonPayloadCodec json = new JsonPayloadCodec(100_000);

        @Override
        public String format() {
            return "per-tenant";
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
            int key = String.valueOf(TENANTS.current()).hashCode();
            byte[] turned = bytes.clone();
            for (int index = 0; index < turned.length; index++) {
                turned[index] ^= (byte) (key >> 8);
            }
            return turned;
        }
    }

    static final class Charge implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String card) {
            return "%s %s".formatted(card, run.awaitSignal("amount", Integer.class));
        }
    }

    static final class Parcel implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("ship", context -> null).async();
            saga.waitForSignal("approval");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Code {

        @Bean
        PerTenant codec() {
            return new PerTenant();
        }

        @Bean
        TenantContext tenants() {
            return TENANTS;
        }

        @Bean
        Charge charge() {
            return new Charge();
        }

        @Bean
        Parcel parcel() {
            return new Parcel();
        }
    }

    private Shop open() {
        return Shop.open(
                database,
                application -> application.sources(Code.class),
                "saga.sagas.callback-keys=a-secret-of-at-least-32-characters");
    }

    private static void awaitState(Shop shop, RunId id, RunState state) {
        await().atMost(SOON)
                .until(() -> shop.bean(Runs.class).find(id).orElseThrow().state() == state);
    }

    @Test
    void theRunReadsTheSignalOfAPerson() {
        try (Shop shop = open()) {
            RunId id = shop.bean(Tenants.class)
                    .in(
                            "acme",
                            () -> shop.bean(Runs.class)
                                    .start(Charge.class, "card")
                                    .id());
            awaitState(shop, id, RunState.WAITING);

            assertThat(shop.bean(RunOperations.class)
                            .signal(id, "amount", null, "7", ADA)
                            .wasDone())
                    .isTrue();

            awaitState(shop, id, RunState.COMPLETED);
        }
    }

    @Test
    void theSagaReadsTheResultAndTheSignalOfAPerson() {
        try (Shop shop = open()) {
            RunId id = shop.bean(Tenants.class)
                    .in(
                            "acme",
                            () -> shop.bean(Sagas.class)
                                    .start(Parcel.class, "books")
                                    .id());
            awaitState(shop, id, RunState.WAITING);
            await().atMost(SOON)
                    .until(() -> shop.bean(CallbackOperations.class)
                            .complete(id, "ship", "\"tracking\"", ADA)
                            .wasDone());

            assertThat(shop.bean(RunOperations.class)
                            .signal(id, "approval", null, "true", ADA)
                            .wasDone())
                    .isTrue();

            awaitState(shop, id, RunState.COMPLETED);
        }
    }

    @Test
    void aTenantThatCannotBeEnteredGetsNoValue() {
        try (Shop shop = open()) {
            RunId id = shop.bean(Tenants.class)
                    .in(
                            "gone",
                            () -> shop.bean(Runs.class)
                                    .start(Charge.class, "card")
                                    .id());
            awaitState(shop, id, RunState.WAITING);
            TENANTS.remove("gone");

            OperationResult refused = shop.bean(RunOperations.class).signal(id, "amount", null, "7", ADA);

            assertThat(refused.result()).isEqualTo(Result.REFUSED);
            assertThat(refused.message()).contains("'gone'");
        } finally {
            TENANTS.add("gone");
        }
    }
}
