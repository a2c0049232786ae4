package io.sagaspring.actuate;

import io.sagaspring.claim.ClaimService;
import io.sagaspring.due.DueWork;
import io.sagaspring.idempotency.StoredKeys;
import io.sagaspring.lease.StoredLeases;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.ListenerEngine;
import io.sagaspring.operations.BulkOperations;
import io.sagaspring.operations.CallbackOperations;
import io.sagaspring.operations.ClaimOperations;
import io.sagaspring.operations.DeliveryOperations;
import io.sagaspring.operations.KeyOperations;
import io.sagaspring.operations.LeaseOperations;
import io.sagaspring.operations.PauseOperations;
import io.sagaspring.operations.QueueOperations;
import io.sagaspring.operations.RunOperations;
import io.sagaspring.operations.ScheduleOperations;
import io.sagaspring.operations.WorkOperations;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schedule.ScheduleEngine;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.workflow.Workflows;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Defines the endpoints. They exist only if Actuator is on the class path, and each only if the application uses its
 * capability.
 *
 * @since 0.1.0
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
public class EndpointConfiguration {

    EndpointConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(Runs.class)
    static class OfRuns {

        @Bean
        @ConditionalOnAvailableEndpoint
        RunsEndpoint sagaRunsEndpoint(
                Runs runs,
                ObjectProvider<Sagas> sagas,
                Tenants tenants,
                RunOperations operations,
                ObjectProvider<CallbackOperations> callbacks,
                BulkOperations bulk) {
            return new RunsEndpoint(
                    runs,
                    sagas::getIfAvailable,
                    tenants,
                    operations,
                    new RunDecisions(operations, callbacks::getIfAvailable),
                    bulk);
        }

        @Bean
        @ConditionalOnBean(RunsEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        RunsEndpointWebExtension sagaRunsEndpointWebExtension(RunsEndpoint runs) {
            return new RunsEndpointWebExtension(runs);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        QueuesEndpoint sagaQueuesEndpoint(QueueOperations operations, ObjectProvider<RunEngine> engine) {
            return new QueuesEndpoint(operations, engine::getObject);
        }

        @Bean
        @ConditionalOnBean(QueuesEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        QueuesEndpointWebExtension sagaQueuesEndpointWebExtension(QueuesEndpoint queues) {
            return new QueuesEndpointWebExtension(queues);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(ScheduleEngine.class)
    static class OfSchedules {

        @Bean
        @ConditionalOnAvailableEndpoint
        SchedulesEndpoint sagaSchedulesEndpoint(Schedules schedules, ScheduleOperations operations) {
            return new SchedulesEndpoint(schedules, operations);
        }

        @Bean
        @ConditionalOnBean(SchedulesEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        SchedulesEndpointWebExtension sagaSchedulesEndpointWebExtension(SchedulesEndpoint schedules) {
            return new SchedulesEndpointWebExtension(schedules);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(ListenerEngine.class)
    static class OfListeners {

        @Bean
        @ConditionalOnAvailableEndpoint
        DeliveriesEndpoint sagaDeliveriesEndpoint(Deliveries deliveries, DeliveryOperations operations) {
            return new DeliveriesEndpoint(deliveries, operations);
        }

        @Bean
        @ConditionalOnBean(DeliveriesEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        DeliveriesEndpointWebExtension sagaDeliveriesEndpointWebExtension(DeliveriesEndpoint deliveries) {
            return new DeliveriesEndpointWebExtension(deliveries);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(Workflows.class)
    static class OfWorkflows {

        @Bean
        @ConditionalOnAvailableEndpoint
        ClaimsEndpoint sagaClaimsEndpoint(ClaimService claims, ClaimOperations operations) {
            return new ClaimsEndpoint(claims, operations);
        }

        @Bean
        @ConditionalOnBean(ClaimsEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        ClaimsEndpointWebExtension sagaClaimsEndpointWebExtension(ClaimsEndpoint claims) {
            return new ClaimsEndpointWebExtension(claims);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        DueEndpoint sagaDueEndpoint(DueWork due, WorkOperations operations) {
            return new DueEndpoint(due, operations);
        }

        @Bean
        @ConditionalOnBean(DueEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        DueEndpointWebExtension sagaDueEndpointWebExtension(DueEndpoint due) {
            return new DueEndpointWebExtension(due);
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        WorkflowsEndpoint sagaWorkflowsEndpoint(Workflows workflows) {
            return new WorkflowsEndpoint(workflows::definitions);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(StoredLeases.class)
    static class OfLeases {

        @Bean
        @ConditionalOnAvailableEndpoint
        LeasesEndpoint sagaLeasesEndpoint(StoredLeases leases, LeaseOperations operations) {
            return new LeasesEndpoint(leases, operations);
        }

        @Bean
        @ConditionalOnBean(LeasesEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        LeasesEndpointWebExtension sagaLeasesEndpointWebExtension(LeasesEndpoint leases) {
            return new LeasesEndpointWebExtension(leases);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(StoredKeys.class)
    static class OfKeys {

        @Bean
        @ConditionalOnAvailableEndpoint
        KeysEndpoint sagaKeysEndpoint(StoredKeys keys, KeyOperations operations) {
            return new KeysEndpoint(keys, operations);
        }

        @Bean
        @ConditionalOnBean(KeysEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        KeysEndpointWebExtension sagaKeysEndpointWebExtension(KeysEndpoint keys) {
            return new KeysEndpointWebExtension(keys);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(Pauses.class)
    static class OfPauses {

        @Bean
        @ConditionalOnAvailableEndpoint
        PausesEndpoint sagaPausesEndpoint(Pauses pauses, PauseOperations operations) {
            return new PausesEndpoint(pauses, operations);
        }

        @Bean
        @ConditionalOnBean(PausesEndpoint.class)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        PausesEndpointWebExtension sagaPausesEndpointWebExtension(PausesEndpoint pauses) {
            return new PausesEndpointWebExtension(pauses);
        }
    }
}
