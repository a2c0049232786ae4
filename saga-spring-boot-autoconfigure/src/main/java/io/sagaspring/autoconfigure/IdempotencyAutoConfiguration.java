package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Jobs;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Purge;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.KeyListener;
import io.sagaspring.idempotency.KeyStore;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.idempotency.StoredKeys;
import io.sagaspring.idempotency.http.HttpSettings;
import io.sagaspring.idempotency.http.IdempotentHandlerAdapter;
import io.sagaspring.idempotency.method.IdempotentPostProcessor;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.http.ProblemDetail;
import org.springframework.security.authentication.AuthenticationTrustResolver;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Auto-configuration for idempotency keys, which need only a data source.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = FoundationAutoConfiguration.class,
        afterName = "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration")
@ConditionalOnBean({SagaSchema.class, Keeper.class})
@ConditionalOnBooleanProperty(name = "saga.idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
@Lazy(false)
public class IdempotencyAutoConfiguration {

    IdempotencyAutoConfiguration() {}

    @Bean
    TakeoverTimeout sagaIdempotencyWindow(IdempotencyProperties properties) {
        return new TakeoverTimeout(properties.checkedLease());
    }

    @Bean
    KeyStore sagaKeyStore(
            SagaSchema schema,
            NodeName node,
            OwnTransactions own,
            IdempotencyProperties properties,
            ObjectProvider<KeyListener> listeners,
            Tenants tenants) {
        return new KeyStore(
                schema,
                node.value(),
                own,
                properties.settings(),
                listeners.orderedStream().toList(),
                properties.checkedMaxKeysPerOwner(),
                tenants);
    }

    @Bean
    StoredKeys sagaStoredKeys(SagaSchema schema, OwnTransactions own, IdempotencyProperties properties) {
        return new StoredKeys(schema, own, properties.checkedLease());
    }

    @Bean
    IdempotencyKeys sagaIdempotencyKeys(KeyStore store, Keeper keeper) {
        return new IdempotencyKeys(store, keeper);
    }

    @Bean
    Idempotency sagaIdempotency(
            IdempotencyKeys keys,
            DataSourceChoice choice,
            ObjectProvider<PlatformTransactionManager> transactions,
            ObjectProvider<PayloadCodec> codec,
            ObjectProvider<DataSourcePoolMetadataProvider> pools,
            IdempotencyProperties properties) {
        DataSource pool = choice.require();
        return new Idempotency(
                keys,
                pool,
                new PoolTransactions(pool, transactions)::manager,
                properties.transactionWaiters(pool, pools.stream()),
                codec.getIfAvailable(() -> new JsonPayloadCodec(properties.checkedMaxReplySize())));
    }

    @Bean
    Purge sagaKeyPurge(KeyStore store, IdempotencyProperties properties, Jobs jobs) {
        return new Purge("Purging idempotency keys", store::purge, properties.checkedPurgeInterval(), jobs);
    }

    /** Counts the keys at intervals, for the limit per owner. This purge removes no keys. */
    @Bean
    @Conditional(KeysAreLimited.class)
    Purge sagaKeyCount(KeyStore store, Jobs jobs) {
        return new Purge(
                "Counting the idempotency keys of each owner",
                limit -> {
                    store.count();
                    return 0;
                },
                Duration.ofSeconds(30),
                jobs);
    }

    /** Matches if the number of keys per owner is limited. Otherwise the keys need not be counted. */
    static final class KeysAreLimited implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                            .bind("saga.idempotency.max-keys-per-owner", Integer.class)
                            .orElse(0)
                    > 0;
        }
    }

    /**
     * Protects {@code @Idempotent} methods other than handlers of web requests. {@link Handlers} protects the handlers,
     * whose key is in a header of the request.
     */
    @Bean
    static IdempotentPostProcessor sagaIdempotentPostProcessor(BeanFactory beans, Environment environment) {
        IdempotentPostProcessor processor = new IdempotentPostProcessor(new IdempotentMethodBeans(beans, environment));
        processor.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
        return processor;
    }

    /** Returns the user from the first source that finds one on the current thread. */
    @Bean
    @ConditionalOnMissingBean
    OwnerResolver sagaOwnerResolver(ObjectProvider<OwnerSource> sources) {
        List<OwnerSource> all = sources.orderedStream().toList();
        return () -> all.stream()
                .map(OwnerSource::owner)
                .filter(owner -> !owner.equals(IdempotencyKey.NONE))
                .findFirst()
                .orElse(IdempotencyKey.NONE);
    }

    /** A source that knows the current user on some threads. The application's own resolver replaces all sources. */
    @FunctionalInterface
    interface OwnerSource {
        String owner();
    }

    /** Finds the user of Spring Security, also on threads that do not handle a request. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    static class SecurityOwner {

        @Bean
        @Order(1)
        OwnerSource sagaSecurityOwner() {
            AuthenticationTrustResolver trust = new AuthenticationTrustResolverImpl();
            return () -> {
                Authentication user = SecurityContextHolder.getContext().getAuthentication();
                // An anonymous authentication does not count, because its name may also be the name of a user.
                if (user == null || trust.isAnonymous(user) || user.getName().isEmpty()) {
                    return IdempotencyKey.named(null);
                }
                return IdempotencyKey.named(user.getName());
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({RequestMappingHandlerAdapter.class, ProblemDetail.class})
    static class Handlers {

        @Bean
        @Order(2)
        OwnerSource sagaRequestOwner() {
            return new RequestOwner()::owner;
        }

        @Bean
        @ConditionalOnBean(RequestMappingHandlerAdapter.class)
        IdempotentHandlerAdapter sagaIdempotentHandlerAdapter(
                IdempotencyKeys keys,
                OwnerResolver owners,
                @Qualifier("requestMappingHandlerAdapter") RequestMappingHandlerAdapter application,
                ObjectProvider<RequestMappingInfoHandlerMapping> mappings,
                Environment environment,
                IdempotencyProperties properties) {
            return new IdempotentHandlerAdapter(
                    keys,
                    owners,
                    application,
                    mappings,
                    environment,
                    new HttpSettings(
                            properties.checkedMaxRequestSize(),
                            properties.checkedMaxReplySize(),
                            properties.http().replayedHeaders()));
        }
    }
}
