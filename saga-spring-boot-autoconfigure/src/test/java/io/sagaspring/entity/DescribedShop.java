package io.sagaspring.entity;

import io.sagaspring.entity.described.Described;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Base of tests with an application without JPA that describes a table of each {@link DescribedKind}. */
abstract class DescribedShop extends ClaimedShop {

    private static boolean byId;

    @BeforeAll
    static void open(TestInfo tests) {
        byId = isById(tests);
        database = TestDatabase.create(MigratedSchema.class);
        JdbcClient client = JdbcClient.create(database.dataSource());
        client.sql("CREATE TYPE described_phase AS ENUM ('OPEN', 'CLOSING', 'CLOSED')")
                .update();
        client.sql("CREATE SCHEMA \"The Warehouse\"").update();
        for (DescribedKind kind : DescribedKind.values()) {
            client.sql(kind.ddl()).update();
        }
        client.sql("CREATE TABLE written (token bigint)").update();
        shop = open(application -> {});
    }

    /** Opens a node over the database. The caller closes it. */
    static Shop open(Consumer<SpringApplicationBuilder> change, String... settings) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(WithoutJpa.class)
                .web(WebApplicationType.NONE)
                .properties(properties())
                .properties(settings)
                .initializers(DescribedShop::describe)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                JdbcConnectionDetails.class,
                                () -> database,
                                definition -> definition.setDestroyMethodName("")));
        change.accept(application);
        ConfigurableApplicationContext context = application.run();
        return Shop.of(context, database);
    }

    interface Invoices extends CrudRepository<Described.Invoice, Long> {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            exclude = {HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class})
    @EnableJdbcRepositories(considerNestedRepositories = true, basePackageClasses = DescribedShop.class)
    @Import({ClaimedShop.Beans.class, SpringDataJdbc.class})
    static class WithoutJpa {

        @Bean
        static Interference interference() {
            return new Interference();
        }
    }

    /** Registers a description for each kind of table, in the way that bean methods of an application would. */
    static void describe(ConfigurableApplicationContext context) {
        GenericApplicationContext registry = (GenericApplicationContext) context;
        for (DescribedKind kind : DescribedKind.values()) {
            RootBeanDefinition definition = new RootBeanDefinition();
            definition.setTargetType(ResolvableType.forClassWithGenerics(ClaimTable.class, kind.entity));
            definition.setInstanceSupplier(() -> kind.description(
                    context.getBean(JdbcClient.class),
                    // This call creates the repository before the beans of the library, as the parameter of a bean
                    // method would.
                    context.getBean(Invoices.class)));
            registry.registerBeanDefinition("table" + kind.name(), definition);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SpringDataJdbc extends AbstractJdbcConfiguration {}

    static String[] properties() {
        List<String> properties = new ArrayList<>();
        properties.add("spring.flyway.enabled=false");
        properties.add("spring.liquibase.enabled=false");
        properties.add("spring.main.banner-mode=off");
        properties.add("saga.janitor.interval=1h");
        properties.add("saga.due.first-delay=10ms");
        properties.add("saga.due.poll-interval=100ms");
        for (DescribedKind kind : DescribedKind.values()) {
            properties.addAll(Beans.settings(kind, kind.entity, byId));
        }
        return properties.toArray(String[]::new);
    }
}
