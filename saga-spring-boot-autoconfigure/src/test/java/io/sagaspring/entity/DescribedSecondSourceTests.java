package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.autoconfigure.SagaDataSource;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * With several data sources, the described tables and the action's writes use the data source of the library's tables.
 */
class DescribedSecondSourceTests {

    private static final TestDatabase marked = TestDatabase.create(MigratedSchema.class);
    private static final TestDatabase primary = TestDatabase.create();

    @AfterAll
    static void close() {
        marked.close();
        primary.close();
    }

    record Order(long id) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            exclude = {HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class})
    static class TwoSources {

        @Bean
        @Primary
        DataSource reports() {
            return primary.dataSource();
        }

        @Bean
        @SagaDataSource
        DataSource orders() {
            return marked.dataSource();
        }

        @Bean
        PlatformTransactionManager ofReports(DataSource reports) {
            return new JdbcTransactionManager(reports);
        }

        @Bean
        PlatformTransactionManager ofOrders(@SagaDataSource DataSource orders) {
            return new JdbcTransactionManager(orders);
        }

        @Bean
        ClaimTable<Order> table() {
            return ClaimTable.of(Order.class, "orders").id(Long.class, "id").loadedBy(id -> Optional.of(new Order(id)));
        }

        @Bean
        StepAction<Order> close(@SagaDataSource DataSource orders) {
            return (order, context) -> {
                JdbcClient.create(orders)
                        .sql("UPDATE orders SET note = 'closed' WHERE id = ?")
                        .param(order.id())
                        .update();
                return ActionResult.success();
            };
        }
    }

    private static ConfigurableApplicationContext open() {
        String step = "saga.workflows.order.steps[0].";
        return new SpringApplicationBuilder(TwoSources.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "saga.workflows.order.module=orders",
                        "saga.janitor.modules.orders.default-janitor=true",
                        "saga.workflows.order.entity=" + Order.class.getName(),
                        "saga.workflows.order.status-types=OPEN,CLOSING,CLOSED",
                        "saga.workflows.order.requesters=admin",
                        step + "step-key=close",
                        step + "status=OPEN",
                        step + "claim-state.any=CLOSING,OPEN",
                        step + "successful-state.any=CLOSED",
                        step + "action.any=close")
                .run();
    }

    @Test
    void aTableMustBeInTheDatabaseOfTheLibrarysTables() {
        String table =
                "CREATE TABLE orders (id bigint PRIMARY KEY, status text NOT NULL, version int NOT NULL, note text)";
        JdbcClient.create(primary.dataSource()).sql(table).update();
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(DescribedSecondSourceTests::open)
                .havingRootCause()
                .withMessageContaining("which does not exist in the database of the library's tables");

        JdbcClient orders = JdbcClient.create(marked.dataSource());
        orders.sql(table).update();
        orders.sql("INSERT INTO orders VALUES (1, 'OPEN', 0)").update();
        try (ConfigurableApplicationContext context = open()) {
            assertThat(context.getBean(Workflows.class).run("order", 1, "close", Shop.ADMIN))
                    .isEqualTo(new TransitionOutcome.Completed("CLOSED", null));
        }
        assertThat(orders.sql("SELECT concat_ws(' ', status, version, note) FROM orders")
                        .query(String.class)
                        .single())
                .isEqualTo("CLOSED 2 closed");
    }
}
