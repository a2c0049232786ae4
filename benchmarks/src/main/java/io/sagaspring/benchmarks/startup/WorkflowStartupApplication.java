package io.sagaspring.benchmarks.startup;

import io.sagaspring.due.DueWork;
import io.sagaspring.fence.Keeper;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.ScheduledClaimJanitor;
import io.sagaspring.run.Runs;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.Workflows;
import java.util.List;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The application of {@link JpaStartupApplication} with the library, a step and a janitor, so that the library's
 * workflows are started, too.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(WorkflowStartupApplication.Warehouse.class)
class WorkflowStartupApplication {

    private static final String WORKFLOW = "saga.workflows.dispatch.";
    private static final String STEP = WORKFLOW + "steps[0].";
    private static final Map<String, Object> SETTINGS = Map.of(
            WORKFLOW + "module", "warehouse",
            WORKFLOW + "entity", Parcel.class.getName(),
            WORKFLOW + "status-types", "PACKED,SHIPPING,SHIPPED",
            WORKFLOW + "requesters", "clerk",
            STEP + "step-id", 1,
            STEP + "step-key", "ship",
            STEP + "status", "PACKED",
            STEP + "claim-state.any", "SHIPPING,PACKED",
            STEP + "successful-state.any", "SHIPPED",
            STEP + "action.any", "ship");

    @ClaimJanitor(module = "warehouse")
    static class Warehouse extends ScheduledClaimJanitor {}

    @Bean
    StepAction<Parcel> ship() {
        return new Ship();
    }

    private static final class Ship implements StepAction<Parcel> {

        @Override
        public ActionResult run(Parcel parcel, ActionContext context) {
            return ActionResult.success();
        }
    }

    public static void main(String[] args) {
        ConfigurableApplicationContext context =
                StartupApplication.run(WorkflowStartupApplication.class, SETTINGS, args);
        // Require these beans. An application without them would be ready sooner, and the figures would mean nothing.
        for (Class<?> part : List.of(Keeper.class, Workflows.class, DueWork.class, Runs.class)) {
            context.getBean(part);
        }
        StartupApplication.reportReady();
    }
}
