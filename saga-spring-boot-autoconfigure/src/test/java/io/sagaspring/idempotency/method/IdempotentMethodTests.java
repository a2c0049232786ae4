package io.sagaspring.idempotency.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.ActiveTransactionException;
import io.sagaspring.idempotency.DuplicateRequestException;
import io.sagaspring.idempotency.Fingerprint;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.KeyReusedException;
import io.sagaspring.idempotency.MissingKeyException;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.idempotency.ReplyNotKeptException;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Applications;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests {@code @Idempotent} on bean methods in an application. */
@ExtendWith(OutputCaptureExtension.class)
class IdempotentMethodTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final ConfigurableApplicationContext context =
            Applications.start(Application.class, database, "bank.patience=300ms");
    private static final Bank bank = context.getBean(Bank.class);
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    record Transfer(String from, int cents) {}

    record Receipt(String number, int cents) {}

    static class Bank {

        /** This field is static, because a proxy subclass has its own instance fields. */
        static final AtomicInteger done = new AtomicInteger();

        @Idempotent(requestId = "#requestId", account = "#transfer.from()", operation = "'transfer'")
        public Receipt transfer(String requestId, Transfer transfer) {
            return new Receipt("R-" + done.incrementAndGet(), transfer.cents());
        }

        @Idempotent(requestId = "#p0")
        public Map<String, List<Receipt>> statement(String requestId) {
            return Map.of("all", List.of(new Receipt("R-" + done.incrementAndGet(), 1)));
        }

        @Idempotent(requestId = "#requestId")
        public void notify(String requestId) {
            done.incrementAndGet();
        }

        @Idempotent(requestId = "#requestId", required = true)
        public int mustHave(@Nullable String requestId) {
            return done.incrementAndGet();
        }

        @Idempotent(requestId = "#requestId")
        public int mayHave(@Nullable String requestId) {
            return done.incrementAndGet();
        }

        @Idempotent(requestId = "#requestId", unless = "#result.cents() == 0")
        public Receipt maybe(String requestId, int cents) {
            done.incrementAndGet();
            return new Receipt("R-" + done.get(), done.get() == 1 ? 0 : 1);
        }

        @Idempotent(requestId = "#requestId", unless = "#result.cents() == 0")
        public @Nullable Receipt perhapsNothing(String requestId) {
            done.incrementAndGet();
            return null;
        }

        @Idempotent(requestId = "#requestId", unless = "#result.number()")
        public Receipt neitherTrueNorFalse(String requestId) {
            return new Receipt("R-" + done.incrementAndGet(), 1);
        }

        @Idempotent(requestId = "#requestId", operation = "'credit cents'")
        public String credit(String requestId, int cents) {
            return "cents-" + done.incrementAndGet();
        }

        @Idempotent(requestId = "#requestId", operation = "'credit text'")
        public String credit(String requestId, String cents) {
            return "text-" + done.incrementAndGet();
        }

        @Idempotent(requestId = "#requestId", account = "#account", changesAccount = true, fingerprint = "'reset'")
        public String reset(String requestId, String account) {
            return "account-" + done.incrementAndGet();
        }

        @Idempotent(requestId = "#requestId")
        @Transactional
        public boolean transactional(String requestId) {
            done.incrementAndGet();
            return TransactionSynchronizationManager.isActualTransactionActive();
        }

        @Idempotent(requestId = "#requestId", sameTransaction = true)
        public boolean together(String requestId) {
            done.incrementAndGet();
            return TransactionSynchronizationManager.isActualTransactionActive();
        }

        @Idempotent(
                requestId = "#requestId",
                operation = "'patient'",
                fingerprint = "'same'",
                patience = "${bank.patience}")
        public int patient(String requestId) {
            return done.incrementAndGet();
        }

        @Idempotent(requestId = "#requestId")
        public int mayHaveAnything(@Nullable String requestId, Object anything) {
            return done.incrementAndGet();
        }

        @Idempotent(requestId = "#requestId")
        public void mayHaveTwice(@Nullable String requestId) {}

        public int unprotected() {
            return done.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Bank bank() {
            return new Bank();
        }

        @Bean
        AtomicReference<String> user() {
            return new AtomicReference<>(IdempotencyKey.NONE);
        }

        @Bean
        OwnerResolver owners(AtomicReference<String> user) {
            return user::get;
        }
    }

    @AfterAll
    static void close() {
        context.close();
        database.close();
    }

    @BeforeEach
    void deleteKeysAndResetUser() {
        jdbc.sql("DELETE FROM saga_idempotency_key").update();
        Bank.done.set(0);
        user(IdempotencyKey.NONE);
    }

    @SuppressWarnings("unchecked")
    private static void user(String name) {
        ((AtomicReference<String>) context.getBean("user")).set(name);
    }

    @Test
    void aMethodIsExecutedOnceForEachRequest() {
        Transfer transfer = new Transfer("7", 1200);

        assertThat(bank.transfer("r-1", transfer)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(bank.transfer("r-1", transfer)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(bank.transfer("r-2", transfer)).isEqualTo(new Receipt("R-2", 1200));
        assertThat(jdbc.sql("SELECT DISTINCT operation || account FROM saga_idempotency_key")
                        .query(String.class)
                        .single())
                .isEqualTo("transfer7");
    }

    @Test
    void theSameRequestIdWithAnotherAccountIsADifferentRequest() {
        bank.transfer("r-1", new Transfer("7", 1200));

        assertThat(bank.transfer("r-1", new Transfer("8", 1200)).number()).isEqualTo("R-2");
    }

    @Test
    void theSameRequestIdWithOtherArgumentsIsRefused() {
        bank.transfer("r-1", new Transfer("7", 1200));

        assertThatExceptionOfType(KeyReusedException.class)
                .isThrownBy(() -> bank.transfer("r-1", new Transfer("7", 9900)));
        assertThat(Bank.done).hasValue(1);
    }

    @Test
    void theReplyOfOneUserNeverReachesAnotherUser() {
        user("ada");
        bank.transfer("r-1", new Transfer("7", 1200));
        user("bob");

        assertThat(bank.transfer("r-1", new Transfer("7", 1200)).number()).isEqualTo("R-2");
        user("ada");
        assertThat(bank.transfer("r-1", new Transfer("7", 1200)).number()).isEqualTo("R-1");
    }

    @Test
    void repliesOfGenericTypesAreReadBack() {
        assertThat(bank.statement("r-1")).isEqualTo(bank.statement("r-1"));
        assertThat(bank.statement("r-1").get("all")).singleElement().isInstanceOf(Receipt.class);
        assertThat(Bank.done).hasValue(1);
    }

    @Test
    void aVoidMethodIsExecutedOnce() {
        bank.notify("r-1");
        bank.notify("r-1");

        assertThat(Bank.done).hasValue(1);
    }

    @Test
    void aCallWithoutAnIdIsExecutedUnlessTheIdIsRequired() {
        assertThat(bank.mayHave(null)).isEqualTo(1);
        assertThat(bank.mayHave(null)).isEqualTo(2);
        assertThatExceptionOfType(MissingKeyException.class).isThrownBy(() -> bank.mustHave(null));
        assertThat(Bank.done).hasValue(2);
        assertThat(bank.unprotected()).isEqualTo(3);
    }

    @Test
    void aMethodThatReturnsAFailureIsExecutedAgain() {
        assertThat(bank.maybe("r-1", 5).cents()).isZero();
        assertThat(bank.maybe("r-1", 5).cents()).isEqualTo(1);
        assertThat(bank.maybe("r-1", 5).cents()).isEqualTo(1);
        assertThat(Bank.done).hasValue(2);
    }

    @Test
    void theUnlessExpressionTreatsANullResultAsSuccess() {
        assertThat(bank.perhapsNothing("r-1")).isNull();
        assertThat(bank.perhapsNothing("r-1")).isNull();
        assertThat(Bank.done).hasValue(1);
    }

    /** The request was valid and was executed. A repetition must not execute it again. */
    @Test
    void workIsNotRepeatedIfTheUnlessExpressionIsNotBoolean() {
        assertThatThrownBy(() -> bank.neitherTrueNorFalse("r-1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("\"#result.number()\" cannot be evaluated to true or false");
        assertThatExceptionOfType(ReplyNotKeptException.class).isThrownBy(() -> bank.neitherTrueNorFalse("r-1"));
        assertThat(Bank.done).hasValue(1);
    }

    @Test
    void overloadsWithTheirOwnOperationsHaveSeparateKeys() {
        assertThat(bank.credit("r-1", 5)).isEqualTo("cents-1");
        assertThat(bank.credit("r-1", "5")).isEqualTo("text-2");
    }

    @Test
    void aRepeatedRequestMayNameTheAccountCreatedByTheFirstRequest() {
        assertThat(bank.reset("r-1", "7")).isEqualTo("account-1");
        assertThat(bank.reset("r-1", "account-1")).isEqualTo("account-1");
    }

    @Test
    void theClaimIsCommittedBeforeTheTransactionOfTheMethodBegins() {
        assertThat(bank.transactional("r-1")).isTrue();
        assertThat(bank.transactional("r-1")).isTrue();
        assertThat(Bank.done).hasValue(1);
    }

    @Test
    void onlyASameTransactionMethodMayRunInsideATransaction() {
        TransactionTemplate transaction = context.getBean(TransactionTemplate.class);

        assertThatExceptionOfType(ActiveTransactionException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> bank.notify("r-1")))
                .withMessageContaining("sameTransaction = true");
        transaction.executeWithoutResult(status -> {
            assertThat(bank.together("r-1")).isTrue();
            status.setRollbackOnly();
        });
        assertThat(bank.together("r-1")).isTrue();
        assertThat(bank.together("r-1")).isTrue();
        assertThat(Bank.done).hasValue(2);
    }

    @Test
    void aDuplicateWaitsForAsLongAsThePatienceOfItsMethod() {
        context.getBean(IdempotencyKeys.class)
                .check(IdempotencyKey.of("patient", "r-1").about(Fingerprint.of("\"same\"")));
        long before = System.nanoTime();

        assertThatExceptionOfType(DuplicateRequestException.class).isThrownBy(() -> bank.patient("r-1"));

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        assertThat(Bank.done).hasValue(0);
    }

    /** Parameter names depend on the settings of the compiler, but a fingerprint must stay the same if these change. */
    @Test
    void theFingerprintCoversTheArgumentsInOrderWithoutTheirNames() {
        Transfer transfer = new Transfer("7", 1200);
        bank.transfer("r-1", transfer);

        assertThat(jdbc.sql("SELECT encode(fingerprint, 'hex') FROM saga_idempotency_key")
                        .query(String.class)
                        .single())
                .startsWith(Fingerprint.of(
                                CanonicalJson.write("r-1", String.class), CanonicalJson.write(transfer, Transfer.class))
                        .toString());
    }

    /** A class that Jackson cannot write. */
    public static final class Unwritable {

        public String getName() {
            return List.<String>of().get(0);
        }
    }

    @Test
    void unwritableArgumentsAreRefusedOnlyWithARequestId() {
        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> bank.mayHaveAnything("r-1", new Unwritable()))
                .withMessageContaining("Set @Idempotent(fingerprint = …)");
        assertThat(Bank.done).hasValue(0);

        assertThat(bank.mayHaveAnything(null, new Unwritable())).isEqualTo(1);
    }

    @Test
    void aMethodThatIsCalledWithoutARequestIdIsLoggedOnce(CapturedOutput output) {
        bank.mayHaveTwice(null);
        bank.mayHaveTwice(null);

        assertThat(output.getAll()).containsOnlyOnce("Bank.mayHaveTwice was called without a request id");
    }
}
