package io.sagaspring.autoconfigure;

import io.sagaspring.definition.Requester;
import io.sagaspring.entity.ClaimTable;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.Workflows;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An application with a described table, in its own JVM. It pays one invoice. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ForkedTable {

    record Invoice(long id, String status, long version) {}

    @Bean
    ClaimTable<Invoice> invoices(JdbcClient database) {
        return ClaimTable.of(Invoice.class, "invoices")
                .id(Long.class, "id")
                .loadedBy(id -> database.sql("SELECT id, status, version FROM invoices WHERE id = ?")
                        .param(id)
                        .query(Invoice.class)
                        .optional());
    }

    @Bean
    StepAction<Invoice> pay() {
        return (invoice, context) -> ActionResult.success(invoice.status());
    }

    public static void main(String[] args) {
        String step = "saga.workflows.invoice.steps[0].";
        Map<String, Object> settings = Map.of(
                "saga.workflows.invoice.module",
                "billing",
                "saga.workflows.invoice.entity",
                Invoice.class.getName(),
                "saga.workflows.invoice.status-types",
                "OPEN,PAYING,PAID",
                "saga.workflows.invoice.requesters",
                "clerk",
                step + "step-key",
                "pay",
                step + "status",
                "OPEN",
                step + "claim-state.any",
                "PAYING,OPEN",
                step + "successful-state.any",
                "PAID",
                step + "action.any",
                "pay",
                "saga.janitor.modules.billing.default-janitor",
                "true");
        try (var context = new SpringApplicationBuilder(ForkedTable.class)
                .properties(settings)
                .run(args)) {
            System.out.println(
                    "paid with " + context.getBean(Workflows.class).run("invoice", 1, "pay", Requester.of("clerk")));
        }
    }
}
