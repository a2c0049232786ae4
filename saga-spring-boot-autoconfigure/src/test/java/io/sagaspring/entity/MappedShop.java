package io.sagaspring.entity;

import io.sagaspring.entity.supported.MapCache;
import io.sagaspring.entity.supported.SupportedIds;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Base of tests with an application that has an entity and a workflow for each {@link Mapping}. */
abstract class MappedShop extends ClaimedShop {

    private static boolean byId;

    @BeforeAll
    static void open(TestInfo tests) {
        byId = isById(tests);
        database = TestDatabase.create(MigratedSchema.class);
        JdbcClient.create(database.dataSource()).sql("CREATE EXTENSION citext").update();
        shop = TimedVersions.counted(
                Shop.open(database, application -> application.sources(Mapped.class), properties()));
    }

    /** Opens another node over the same database. The caller closes it. */
    static Shop another(Consumer<SpringApplicationBuilder> change, String... settings) {
        List<String> properties = new ArrayList<>(List.of(properties()));
        // The tables exist already.
        properties.add("spring.jpa.hibernate.ddl-auto=none");
        properties.addAll(List.of(settings));
        return Shop.open(
                database,
                application -> change.accept(application.sources(Mapped.class)),
                properties.toArray(String[]::new));
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = SupportedIds.class)
    @Import(ClaimedShop.Beans.class)
    static class Mapped {}

    static String[] properties() {
        List<String> properties = new ArrayList<>();
        properties.add("saga.due.first-delay=10ms");
        properties.add("saga.due.poll-interval=100ms");
        properties.add("spring.jpa.properties.hibernate.hbm2ddl.create_namespaces=true");
        properties.add("spring.jpa.properties.hibernate.cache.use_second_level_cache=true");
        properties.add("spring.jpa.properties.hibernate.cache.region.factory_class=" + MapCache.class.getName());
        for (Mapping mapping : Mapping.values()) {
            String path = "saga.workflows.%s.".formatted(mapping.workflow());
            properties.addAll(Beans.settings(mapping, mapping.entity, byId));
            properties.add(path + "status-property=" + mapping.status());
            if (mapping == Mapping.CACHED
                    && properties.remove(path + "steps[0].success-after-effect.followed=follow")) {
                properties.add(path + "steps[0].success-after-effect.any=follow");
            }
        }
        return properties.toArray(String[]::new);
    }
}
