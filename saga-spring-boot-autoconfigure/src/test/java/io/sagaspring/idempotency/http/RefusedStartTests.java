package io.sagaspring.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** An application with handlers that cannot be replayed does not start. */
class RefusedStartTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @RestController
    static class Late {

        @PostMapping("/callable")
        @Idempotent
        Callable<String> callable() {
            return () -> "later";
        }
    }

    @RequestMapping("/unknown")
    interface Mapped {

        @PostMapping("/{id}")
        @Idempotent(account = "#account")
        String unknown();
    }

    /** A controller that inherits its annotations from its interface. */
    @RestController
    static class Unknown implements Mapped {

        @Override
        public String unknown() {
            return "unknown";
        }
    }

    @Test
    void theExceptionNamesAllFaultsOfAllHandlers() {
        Throwable failed = catchThrowable(() -> Shop.open(
                        database,
                        application -> application
                                .web(WebApplicationType.SERVLET)
                                .sources(Wiring.class, Late.class, Unknown.class),
                        Http.ON_ANY_PORT)
                .close());

        assertThat(failed).isInstanceOf(IdempotentFaultsException.class);
        assertThat(((IdempotentFaultsException) failed).faults())
                .hasSize(2)
                .anyMatch(fault -> fault.startsWith(Late.class.getName() + ".callable returns Callable"))
                .anyMatch(fault -> fault.startsWith(Unknown.class.getName() + ".unknown has the account"));
    }

    /** A handler that the application registers at run time. */
    static class Registered {

        final AtomicInteger runs = new AtomicInteger();

        @Idempotent
        Callable<String> callable() {
            runs.incrementAndGet();
            return () -> "later";
        }
    }

    @Test
    void aHandlerRegisteredAtRunTimeIsRefusedWhenItIsCalled() throws Exception {
        try (Stand stand = Stand.open()) {
            Registered registered = new Registered();
            stand.shop
                    .context()
                    .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
                    .registerMapping(
                            RequestMappingInfo.paths("/registered").build(),
                            registered,
                            Registered.class.getDeclaredMethod("callable"));

            assertThat(stand.client.post("/registered").key("k").send().status())
                    .isEqualTo(500);
            assertThat(stand.client.post("/registered").send().status()).isEqualTo(500);
            assertThat(registered.runs).hasValue(0);
        }
    }
}
