package io.sagaspring.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.method.UnprotectedMethods;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/** Tests controllers whose methods are mapped in an interface that an HTTP client may also use. */
@ExtendWith(OutputCaptureExtension.class)
class ExchangeTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @HttpExchange("/exchange")
    interface Exchange {
        @PostExchange("/credit")
        @Idempotent(required = true)
        String credit();
    }

    @RestController
    static class Controller implements Exchange {
        final AtomicInteger runs = new AtomicInteger();

        @Override
        public String credit() {
            return "credit-" + runs.incrementAndGet();
        }
    }

    @Test
    void anExchangeIsExecutedOnceForEachKey() throws Exception {
        try (Shop shop = open()) {
            Http client = new Http(shop);

            assertThat(client.post("/exchange/credit").key("k").send().text()).isEqualTo("credit-1");
            assertThat(client.post("/exchange/credit").key("k").send().text()).isEqualTo("credit-1");
            assertThat(client.post("/exchange/credit").send().status()).isEqualTo(400);
        }
    }

    @Test
    void theLogNamesUnprotectedMethodsWhenKeysAreDisabled(CapturedOutput log) throws Exception {
        try (Shop shop = open("saga.idempotency.enabled=false")) {
            Http client = new Http(shop);

            assertThat(client.post("/exchange/credit").key("k").send().text()).isEqualTo("credit-1");
            assertThat(client.post("/exchange/credit").send().text()).isEqualTo("credit-2");
            assertThat(log.getOut())
                    .containsOnlyOnce(UnprotectedMethods.class.getSimpleName())
                    .contains("saga.idempotency.enabled is false. These @Idempotent methods run at each call")
                    .contains("required = true")
                    .contains(Controller.class.getName() + ".credit");
        }
    }

    @Test
    void theLogNamesNoMethodsWhenKeysAreEnabled(CapturedOutput log) {
        try (Shop shop = open()) {
            assertThat(shop.context().getBeanNamesForType(UnprotectedMethods.class))
                    .isEmpty();
            assertThat(log.getOut()).doesNotContain("run at each call");
        }
    }

    private Shop open(String... more) {
        String[] settings = Arrays.copyOf(more, more.length + 1);
        settings[more.length] = Http.ON_ANY_PORT;
        return Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Controller.class),
                settings);
    }
}
