package io.sagaspring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionRefusedException;
import io.sagaspring.workflow.Workflows;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** An advice of the application takes precedence over the advice of the starter. */
class AdviceOrderTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @Configuration(proxyBeanMethods = false)
    @Import({Refusing.class, Own.class})
    static class Web {}

    @RestController
    static class Refusing {

        private final Workflows workflows;

        Refusing(Workflows workflows) {
            this.workflows = workflows;
        }

        @PostMapping("/refused")
        void refused() {
            workflows.run("parcel", 4711, "send", Shop.ADMIN).orElseThrow();
        }

        @PostMapping("/applicable")
        void notApplicable() {
            workflows.run("parcel", 1, "lose", Shop.ADMIN).orElseThrow();
        }
    }

    /** An advice without an order, as is common. */
    @RestControllerAdvice
    static class Own {

        @ExceptionHandler
        ResponseEntity<String> refused(TransitionRefusedException refused) {
            return ResponseEntity.status(418)
                    .body("own words: " + refused.outcome().name());
        }
    }

    @Test
    void anAdviceOfTheApplicationForTheSameExceptionTakesPrecedence() throws Exception {
        try (Shop shop = Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Web.class),
                Http.ON_ANY_PORT)) {
            assertThat(shop.pack()).isEqualTo(1);
            Http http = new Http(shop);

            Http.Answer own = http.send("POST", "/applicable");
            assertThat(own.status()).isEqualTo(418);
            assertThat(own.text()).isEqualTo("own words: NotApplicable");
            assertThat(http.send("POST", "/refused").status()).isEqualTo(404);
        }
    }
}
