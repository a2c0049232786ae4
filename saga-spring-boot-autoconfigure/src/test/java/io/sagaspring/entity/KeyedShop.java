package io.sagaspring.entity;

import io.sagaspring.entity.keyed.Keyed;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.StepAction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application with a workflow for each entity in {@link Keyed}. Only the steps of the requester {@code admin} have a
 * claim.
 */
final class KeyedShop {

    private static final List<Class<?>> ENTITIES = List.of(
            Keyed.Worded.class,
            Keyed.PaddedKey.class,
            Keyed.LooseKey.class,
            Keyed.Changeable.class,
            Keyed.Flagged.class,
            Keyed.Paired.class,
            Keyed.Hashed.class);

    static final TestDatabase database = withCaselessCollation();
    static volatile StepAction<Object> acting = (entity, context) -> ActionResult.success();
    static volatile AfterEffect<Object> following = (entity, context) -> {};
    static final Shop shop = Shop.open(database, application -> application.sources(Mapped.class), properties());

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = Keyed.class)
    @Import(KeyedJanitor.class)
    static class Mapped {

        @Bean
        StepAction<Object> closeAnything() {
            return (entity, context) -> acting.run(entity, context);
        }

        @Bean
        AfterEffect<Object> follow() {
            return (entity, context) -> following.run(entity, context);
        }
    }

    @ClaimJanitor(module = "keyed")
    static class KeyedJanitor extends ScheduledClaimJanitor {}

    private static TestDatabase withCaselessCollation() {
        TestDatabase database = TestDatabase.create(MigratedSchema.class);
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
            return database;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    static String workflow(Class<?> entity) {
        return entity.getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static String[] properties() {
        List<String> properties = new ArrayList<>();
        properties.add("saga.due.first-delay=10ms");
        properties.add("saga.due.poll-interval=100ms");
        for (Class<?> entity : ENTITIES) {
            String path = "saga.workflows.%s.".formatted(workflow(entity));
            properties.add(path + "module=keyed");
            properties.add(path + "entity=" + entity.getName());
            properties.add(path + "status-types=OPEN,CLOSING,CLOSED");
            properties.add(path + "requesters=admin,system");
            properties.add(path + "steps[0].step-id=1");
            properties.add(path + "steps[0].step-key=close");
            properties.add(path + "steps[0].status=OPEN");
            properties.add(path + "steps[0].claim-state.admin=CLOSING,OPEN");
            properties.add(path + "steps[0].successful-state.any=CLOSED");
            properties.add(path + "steps[0].action.any=closeAnything");
            properties.add(path + "steps[0].success-after-effect.any=follow");
        }
        return properties.toArray(String[]::new);
    }
}
