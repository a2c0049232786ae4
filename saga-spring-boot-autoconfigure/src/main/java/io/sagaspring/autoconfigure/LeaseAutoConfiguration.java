package io.sagaspring.autoconfigure;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Jobs;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Purge;
import io.sagaspring.lease.LeaseListener;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseStore;
import io.sagaspring.lease.StoredLeases;
import io.sagaspring.lease.method.LeasedPostProcessor;
import io.sagaspring.lease.redis.RedisLeaseStore;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Auto-configuration for leases, on PostgreSQL unless {@code saga.leases.store} names another store.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = FoundationAutoConfiguration.class,
        afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnBean({SagaSchema.class, Keeper.class})
@ConditionalOnBooleanProperty(name = "saga.leases.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LeaseProperties.class)
@Lazy(false)
public class LeaseAutoConfiguration {

    private static final String STORE = "saga.leases.store";

    LeaseAutoConfiguration() {}

    @Bean
    TakeoverTimeout sagaLeaseWindow(LeaseProperties properties) {
        return new TakeoverTimeout(properties.checkedTtl());
    }

    @Bean
    LeaseManager sagaLeases(
            LeaseStore store,
            Keeper keeper,
            NodeName node,
            LeaseProperties properties,
            ObjectProvider<LeaseListener> listeners,
            Tenants tenants) {
        return new LeaseManager(
                store,
                keeper,
                node.value(),
                properties.checkedTtl(),
                listeners.orderedStream().toList(),
                tenants);
    }

    @Bean
    LeasedWork sagaLeasedWork(LeaseStore store, Keeper keeper) {
        return new LeasedWork(store, keeper);
    }

    @Bean
    Purge sagaLeasePurge(LeaseStore store, LeaseProperties properties, Jobs jobs) {
        return new Purge("Purging lease names", store::purge, properties.checkedPurgeInterval(), jobs);
    }

    @Bean
    static LeasedPostProcessor sagaLeasedPostProcessor(BeanFactory beans, Environment environment) {
        LeasedPostProcessor processor = new LeasedPostProcessor(new LeasedMethodBeans(beans, environment));
        processor.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
        return processor;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = STORE, havingValue = "postgres", matchIfMissing = true)
    @ConditionalOnMissingBean(LeaseStore.class)
    static class OnPostgres {

        @Bean
        LeaseStore sagaLeaseStore(
                SagaSchema schema, OwnTransactions own, DataSourceChoice choice, LeaseProperties properties) {
            return LeaseStore.onPostgres(schema, own, choice.require(), properties.checkedRetention());
        }

        @Bean
        StoredLeases sagaStoredLeases(SagaSchema schema, OwnTransactions own) {
            return new StoredLeases(schema, own);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = STORE, havingValue = "memory")
    @ConditionalOnMissingBean(LeaseStore.class)
    static class InMemory {

        @Bean
        LeaseStore sagaLeaseStore(LeaseProperties properties) {
            return LeaseStore.inMemory(ElapsedClock.OF_THIS_MACHINE, properties.checkedRetention());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = STORE, havingValue = "redis")
    @ConditionalOnClass(StringRedisTemplate.class)
    @ConditionalOnMissingBean(LeaseStore.class)
    static class OnRedis {

        @Bean
        RedisLeaseStore sagaLeaseStore(ObjectProvider<RedisConnectionFactory> connections, LeaseProperties properties) {
            RedisConnectionFactory unique = connections.getIfUnique();
            if (unique == null) {
                throw unusable(
                        "There is %s of type RedisConnectionFactory. Configure spring.data.redis.*, or mark one as primary."
                                .formatted(
                                        connections.stream().findAny().isPresent() ? "more than one bean" : "no bean"));
            }
            return new RedisLeaseStore(new StringRedisTemplate(unique), properties.checkedRetention());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = STORE, havingValue = "redis")
    @ConditionalOnMissingClass("org.springframework.data.redis.core.StringRedisTemplate")
    @ConditionalOnMissingBean(LeaseStore.class)
    static class WithoutRedis {

        @Bean
        LeaseStore sagaLeaseStore() {
            throw unusable("Spring Data Redis is not on the class path. Add spring-boot-starter-data-redis.");
        }
    }

    private static InvalidConfigurationPropertyValueException unusable(String reason) {
        return new InvalidConfigurationPropertyValueException(STORE, "redis", reason);
    }
}
