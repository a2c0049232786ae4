package io.sagaspring.idempotency.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.IdempotentFaultsException;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Applications;
import io.sagaspring.test.database.TestDatabase;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.annotation.AliasFor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.annotation.Secured;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.method.AuthorizationManagerBeforeMethodInterceptor;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;

/** Beans of every kind are protected, or the application does not start. */
class ProtectedBeansTests {

    private static final AtomicInteger done = new AtomicInteger();
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final ConfigurableApplicationContext context = Applications.start(Application.class, database);

    /** An interface that an HTTP client may also use. */
    interface Contract {
        @PostMapping("/pay")
        String pay(String id);
    }

    static class ContractService implements Contract {
        @Override
        @Idempotent(requestId = "#id")
        public String pay(String id) {
            return "paid-" + done.incrementAndGet();
        }
    }

    interface Remote {
        @Idempotent(requestId = "#p0")
        String charge(String id);
    }

    interface Generic<T> {
        @Idempotent(requestId = "#p0")
        String call(T id);
    }

    interface Texts extends Generic<String> {}

    static class Base {
        public String call(String id) {
            return "called-" + done.incrementAndGet();
        }
    }

    static class Inheriting extends Base implements Texts {}

    interface Store {
        String save(String id);
    }

    interface OurStore extends Store {
        @Override
        @Idempotent(requestId = "#p0")
        String save(String id);
    }

    /** A target that does not implement the interface of its proxy, like the target of a repository. */
    static class GeneralStore implements Store {
        @Override
        public String save(String id) {
            return "saved-" + done.incrementAndGet();
        }
    }

    @Idempotent(requestId = "#p0")
    @Retention(RetentionPolicy.RUNTIME)
    @interface OncePerRequest {
        @AliasFor(annotation = Idempotent.class)
        String operation();
    }

    static class Bank {
        @OncePerRequest(operation = "'meta'")
        public String meta(String id) {
            return "meta-" + done.incrementAndGet();
        }

        @Secured("ROLE_TELLER")
        @Transactional
        @Idempotent(requestId = "#id")
        public boolean guarded(String id) {
            done.incrementAndGet();
            return TransactionSynchronizationManager.isActualTransactionActive();
        }
    }

    static class Faulty {
        @Idempotent(requestId = "#oops")
        public void run(String id) {}
    }

    static class OtherFaulty {
        @Idempotent(requestId = "#oops")
        public void walk(String id) {}
    }

    static class Harmless {
        @Idempotent(requestId = "#id")
        public String run(String id) {
            return "harmless-" + done.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        ContractService contract() {
            return new ContractService();
        }

        @Bean
        Remote remote() {
            return (Remote) Proxy.newProxyInstance(
                    Remote.class.getClassLoader(), new Class<?>[] {Remote.class}, (proxy, method, arguments) -> {
                        if (method.getDeclaringClass() == Object.class) {
                            return method.invoke(this, arguments);
                        }
                        return "charged-" + done.incrementAndGet();
                    });
        }

        /** A proxy without a target, like the one that Spring creates for an HTTP client. */
        @Bean
        Remote client() {
            ProxyFactory proxy = new ProxyFactory();
            proxy.setInterfaces(Remote.class);
            proxy.addAdvice((MethodInterceptor) call -> "sent-" + done.incrementAndGet());
            return (Remote) proxy.getProxy();
        }

        @Bean
        Remote lambda() {
            return id -> "computed-" + done.incrementAndGet();
        }

        @Bean
        Inheriting inheriting() {
            return new Inheriting();
        }

        @Bean
        OurStore store() {
            ProxyFactory proxy = new ProxyFactory();
            proxy.setInterfaces(OurStore.class);
            proxy.setTarget(new GeneralStore());
            proxy.addAdvice((MethodInterceptor)
                    call -> call.getMethod().getName().equals("save") ? new GeneralStore().save("") : call.proceed());
            return (OurStore) proxy.getProxy();
        }

        @Bean
        Bank bank() {
            return new Bank();
        }

        @Bean(autowireCandidate = false)
        Bank sameBank(Bank bank) {
            return bank;
        }

        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Harmless scoped() {
            return new Harmless();
        }

        @Bean
        @Lazy
        Faulty faulty() {
            return new Faulty();
        }

        @Bean
        @Lazy
        OtherFaulty otherFaulty() {
            return new OtherFaulty();
        }

        /**
         * A second bean of type {@code Idempotency}. A qualifier at an injection point selects one of the two beans.
         */
        @Bean
        Idempotency patient(@Qualifier("sagaIdempotency") Idempotency idempotency) {
            return idempotency.waiting(Duration.ofSeconds(1));
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor secured() {
            return AuthorizationManagerBeforeMethodInterceptor.secured();
        }
    }

    @AfterAll
    static void close() {
        context.close();
        database.close();
    }

    @BeforeEach
    void reset() {
        JdbcClient.create(database.dataSource())
                .sql("DELETE FROM saga_idempotency_key")
                .update();
        done.set(0);
    }

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void aServiceWithAMappedInterfaceIsNotTreatedAsAHandler() {
        ContractService service = context.getBean(ContractService.class);

        assertThat(service.pay("r-1")).isEqualTo(service.pay("r-1"));
        assertThat(done).hasValue(1);
    }

    @Test
    void proxiesOfInterfacesAreProtected() {
        for (String name : new String[] {"remote", "client", "lambda"}) {
            Remote remote = context.getBean(name, Remote.class);
            reset();

            assertThat(remote.charge("r-1")).endsWith("-1").isEqualTo(remote.charge("r-1"));
            assertThat(done).hasValue(1);
        }
    }

    /** A class that is generated at run time has a different name each time. */
    @Test
    void theOperationOfAProxyIsNamedAfterItsInterface() {
        context.getBean("remote", Remote.class).charge("r-1");

        assertThat(JdbcClient.create(database.dataSource())
                        .sql("SELECT operation FROM saga_idempotency_key")
                        .query(String.class)
                        .single())
                .isEqualTo(Remote.class.getName() + ".charge");
    }

    @Test
    void anAnnotatedInterfaceProtectsAMethodThatTheClassInherits() {
        Inheriting byClass = context.getBean(Inheriting.class);
        Texts byInterface = byClass;

        assertThat(byClass.call("r-1")).isEqualTo(byInterface.call("r-1"));
        assertThat(done).hasValue(1);
    }

    @Test
    void anAnnotatedInterfaceProtectsAProxyWhoseTargetLacksTheInterface() {
        OurStore store = context.getBean(OurStore.class);

        assertThat(store.save("r-1")).isEqualTo(store.save("r-1"));
        assertThat(done).hasValue(1);
    }

    @Test
    void aMethodWithAMetaAnnotationOfTheApplicationIsProtected() {
        Bank bank = context.getBean("bank", Bank.class);

        assertThat(bank.meta("r-1")).isEqualTo(bank.meta("r-1"));
        assertThat(done).hasValue(1);
    }

    /** With two layers of protection, the inner layer would find the key of the outer layer and refuse the call. */
    @Test
    void aBeanBehindTwoNamesOrProxiesIsProtectedOnce() {
        assertThat(context.getBean("sameBank", Bank.class).meta("r-1")).isEqualTo("meta-1");
        assertThat(context.getBean("scoped", Harmless.class).run("r-1")).isEqualTo("harmless-2");
        assertThat(context.getBean("scoped", Harmless.class).run("r-1")).isEqualTo("harmless-2");
    }

    @Test
    void anUnauthorizedCallerGetsNoReplay() {
        Bank bank = context.getBean("bank", Bank.class);
        login("ROLE_TELLER");
        assertThat(bank.guarded("r-1")).isTrue();
        assertThat(bank.guarded("r-1")).isTrue();

        login("ROLE_CLERK");
        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> bank.guarded("r-1"));
        assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> bank.guarded("r-2"));
        assertThat(done).hasValue(1);
    }

    @Test
    void aUserNamedLikeAMissingOwnerIsADistinctOwner() {
        OwnerResolver owners = context.getBean(OwnerResolver.class);
        SecurityContextHolder.getContext()
                .setAuthentication(new AnonymousAuthenticationToken(
                        "key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS")));
        assertThat(owners.owner()).isEqualTo(IdempotencyKey.NONE);

        List<String> named = new ArrayList<>();
        for (String name : List.of("anonymousUser", "-", "--", "ada-", "-ada")) {
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken(name, ""));
            named.add(owners.owner());
        }
        assertThat(named).containsExactly("anonymousUser", "--", "---", "ada-", "-ada");
    }

    private static void login(String role) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ada", "", role));
    }

    /** The application continues although a lazy bean cannot be created. */
    @Test
    void theFaultsOfALazyBeanPreventOnlyItsCreation() {
        for (int time = 0; time < 2; time++) {
            assertThat(catchThrowable(() -> context.getBean(Faulty.class)))
                    .rootCause()
                    .isInstanceOf(IdempotentFaultsException.class)
                    .hasMessageContaining("Faulty.run")
                    .hasMessageNotContaining("walk");
            assertThat(catchThrowable(() -> context.getBean(OtherFaulty.class)))
                    .rootCause()
                    .hasMessageContaining("OtherFaulty.walk")
                    .hasMessageNotContaining("Faulty.run");
            assertThat(context.getBean("scoped", Harmless.class).run("r-" + time))
                    .startsWith("harmless-");
        }
    }
}
