package io.sagaspring.entity;

import io.sagaspring.entity.spelled.Spelled;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application with an entity and a workflow for each {@link Spelling}. */
final class SpelledShop {

    static final TestDatabase database = withCaselessText();
    static volatile StepAction<Object> acting = (entity, context) -> ActionResult.success();
    static final Shop shop = Shop.open(database, application -> application.sources(Mapped.class), properties());

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Spelled.class)
    @Import(SpelledJanitor.class)
    static class Mapped {

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> acting.run(entity, context);
        }
    }

    @ClaimJanitor(module = "spelled")
    static class SpelledJanitor extends ScheduledClaimJanitor {}

    private static TestDatabase withCaselessText() {
        TestDatabase database = TestDatabase.create(MigratedSchema.class);
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE EXTENSION citext");
            return database;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static String[] properties() {
        List<String> properties = new ArrayList<>();
        // The database ignores the case only if the parameter has no type.
        properties.add("spring.datasource.hikari.data-source-properties.stringtype=unspecified");
        properties.add("spring.datasource.hikari.maximum-pool-size=20");
        for (Spelling spelling : Spelling.values()) {
            String path = "saga.workflows.%s.".formatted(spelling.workflow());
            properties.add(path + "module=spelled");
            properties.add(path + "entity=" + spelling.entity.getName());
            properties.add(path + "status-types=OPEN,CLOSING,CLOSED");
            properties.add(path + "requesters=admin,system");
            properties.add(path + "steps[0].step-id=1");
            properties.add(path + "steps[0].step-key=close");
            properties.add(path + "steps[0].status=OPEN");
            properties.add(path + "steps[0].claim-state.admin=CLOSING,OPEN");
            properties.add(path + "steps[0].successful-state.any=CLOSED");
            properties.add(path + "steps[0].action.any=closeAnything");
        }
        return properties.toArray(String[]::new);
    }
}
