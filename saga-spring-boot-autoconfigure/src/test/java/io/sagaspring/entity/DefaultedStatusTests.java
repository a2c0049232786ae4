package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.entity.defaulted.Defaulted;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An entity is claimed only if its column has the value of the status, even if the conversion reads other values as the
 * same status.
 */
class DefaultedStatusTests {

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Defaulted.class)
    static class Mapped {

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> ActionResult.success();
        }
    }

    @Test
    void aRowIsNotClaimedIfItsStoredStatusBelongsToNoConstant() {
        String[] settings = Stream.concat(
                        Stream.of("saga.janitor.modules.defaulted.default-janitor=true"),
                        ClosingWorkflow.of(Defaulted.class, "defaulted").settings().stream())
                .toArray(String[]::new);
        try (TestDatabase database = TestDatabase.create(MigratedSchema.class);
                Shop shop = Shop.open(database, application -> application.sources(Mapped.class), settings)) {
            shop.database()
                    .sql(
                            "ALTER TABLE defaulted ALTER status DROP NOT NULL, DROP CONSTRAINT IF EXISTS defaulted_status_check")
                    .update();
            shop.database()
                    .sql(
                            "INSERT INTO defaulted (id, status, version) VALUES (1, NULL, 0), (2, 'legacy', 0), (3, 'is OPEN', 0)")
                    .update();

            assertThat(shop.workflows().run("defaulted", 1L, "close", Shop.ADMIN))
                    .isEqualTo(new TransitionOutcome.NotApplicable("null", List.of()));
            assertThat(shop.workflows().run("defaulted", 2L, "close", Shop.ADMIN))
                    .isEqualTo(new TransitionOutcome.NotApplicable("legacy", List.of()));
            assertThat(shop.workflows().run("defaulted", 3L, "close", Shop.ADMIN))
                    .isEqualTo(new TransitionOutcome.Completed("CLOSED", null));
            assertThat(shop.claims()).isZero();
        }
    }
}
