package io.sagaspring.autoconfigure;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.due.DueWork;
import io.sagaspring.fence.Jobs;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Purge;
import io.sagaspring.idempotency.StoredKeys;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.lease.StoredLeases;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.ListenerEngine;
import io.sagaspring.operations.Audit;
import io.sagaspring.operations.AuditLog;
import io.sagaspring.operations.AuditTable;
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
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.workflow.Workflows;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration for the operations of persons, and for the audit of these operations.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = {
            WorkflowAutoConfiguration.class,
            RunAutoConfiguration.class,
            SagaAutoConfiguration.class,
            ScheduleAutoConfiguration.class,
            ListenerAutoConfiguration.class,
            LeaseAutoConfiguration.class,
            IdempotencyAutoConfiguration.class
        })
@ConditionalOnBean(Keeper.class)
@EnableConfigurationProperties(AuditProperties.class)
public class OperationsAutoConfiguration {

    OperationsAutoConfiguration() {}

    @Bean
    Audit sagaAudit(ObjectProvider<AuditTable> table, ApplicationEventPublisher events) {
        return new Audit(table.getIfAvailable(), events);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(SagaSchema.class)
    static class Stored {

        @Bean
        AuditTable sagaAuditTable(SagaSchema schema, OwnTransactions own, AuditProperties properties) {
            return new AuditTable(schema, own, properties.checkedRetention());
        }

        @Bean
        AuditLog sagaAuditLog(AuditTable table) {
            return new AuditLog(table);
        }

        @Bean
        Purge sagaAuditPurge(AuditTable table, AuditProperties properties, Jobs jobs) {
            return new Purge("Purging the audit", table::purge, properties.checkedPurgeInterval(), jobs);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(Runs.class)
    static class OfRuns {

        @Bean
        RunOperations sagaRunOperations(RunEngine engine, ObjectProvider<Sagas> sagas, Tenants tenants, Audit audit) {
            return new RunOperations(engine, sagas::getIfAvailable, tenants, audit);
        }

        @Bean
        BulkOperations sagaBulkOperations(Runs runs, RunOperations operations, Tenants tenants, Audit audit) {
            return new BulkOperations(runs, operations, tenants, audit);
        }

        @Bean
        QueueOperations sagaQueueOperations(Runs runs, Audit audit) {
            return new QueueOperations(runs, audit);
        }
    }

    @Bean
    @ConditionalOnBean(Pauses.class)
    PauseOperations sagaPauseOperations(
            Pauses pauses, ObjectProvider<RunEngine> engine, ObjectProvider<JanitorRegistry> janitors, Audit audit) {
        return new PauseOperations(pauses, engine::getIfAvailable, janitors::getIfAvailable, audit);
    }

    @Bean
    @ConditionalOnBean(Sagas.class)
    CallbackOperations sagaCallbackOperations(Sagas sagas, Runs runs, Tenants tenants, Audit audit) {
        return new CallbackOperations(sagas, runs, tenants, audit);
    }

    @Bean
    @ConditionalOnBean(ScheduleEngine.class)
    ScheduleOperations sagaScheduleOperations(Schedules schedules, Audit audit) {
        return new ScheduleOperations(schedules, audit);
    }

    @Bean
    @ConditionalOnBean(ListenerEngine.class)
    DeliveryOperations sagaDeliveryOperations(Deliveries deliveries, Audit audit) {
        return new DeliveryOperations(deliveries, audit);
    }

    @Bean
    @ConditionalOnBean(StoredLeases.class)
    LeaseOperations sagaLeaseOperations(StoredLeases leases, Audit audit) {
        return new LeaseOperations(leases, audit);
    }

    @Bean
    @ConditionalOnBean(StoredKeys.class)
    KeyOperations sagaKeyOperations(StoredKeys keys, Audit audit) {
        return new KeyOperations(keys, audit);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(Workflows.class)
    static class OfWorkflows {

        @Bean
        ClaimOperations sagaClaimOperations(ClaimRecovery recoveries, JanitorRegistry janitors, Audit audit) {
            return new ClaimOperations(recoveries, janitors, audit);
        }

        @Bean
        WorkOperations sagaWorkOperations(DueWork due, Audit audit) {
            return new WorkOperations(due, audit);
        }
    }
}
