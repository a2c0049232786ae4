package io.sagaspring.test.claim;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.claim.ClaimState;
import io.sagaspring.entity.ClaimTable;
import io.sagaspring.test.claim.DescribedShop.Invoice;
import io.sagaspring.test.database.FreshDatabase;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The contract fails for a loader that does not return the described entity as the transaction of the step sees it. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "spring.sql.init.mode=always",
            "spring.sql.init.schema-locations=classpath:io/sagaspring/test/claim/tables.sql",
            "saga.janitor.modules.shop.default-janitor=true"
        })
@FreshDatabase
class BrokenLoaderTests {

    private static Function<Long, Optional<Invoice>> loader = id -> Optional.empty();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Broken {

        @Bean
        ClaimTable<Invoice> invoices() {
            return ClaimTable.of(Invoice.class, "invoices").id(Long.class, "id").loadedBy(id -> loader.apply(id));
        }

        @Bean
        ClaimState paying() {
            return new DescribedShop().paying();
        }
    }

    @Autowired
    AutowireCapableBeanFactory beans;

    @Autowired
    JdbcClient database;

    private final InvoiceTableTests contract = new InvoiceTableTests();

    @BeforeEach
    void injectTheContract() {
        beans.autowireBean(contract);
        loader = this::load;
    }

    private Optional<Invoice> load(long id) {
        return database.sql("SELECT id, status, version FROM invoices WHERE id = ?")
                .param(id)
                .query(Invoice.class)
                .optional();
    }

    private void assertThatReadingBackFails(String reason) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(contract::aClaimedRowIsReadBackByItsStatusAndByTheTextOfItsId)
                .withMessageContaining(reason);
    }

    @Test
    void aLoaderThatFindsTheRowPassesTheContract() {
        assertThatCode(contract::aClaimedRowIsReadBackByItsStatusAndByTheTextOfItsId)
                .doesNotThrowAnyException();
        assertThatCode(contract::theLoaderReadsInTheTransactionOfTheStep).doesNotThrowAnyException();
    }

    @Test
    void aLoaderThatFindsNothingFailsTheContract() {
        loader = id -> Optional.empty();

        assertThatReadingBackFails("the entity that the loader returns");
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void aLoaderThatReturnsAnotherClassFailsTheContract() {
        loader = id -> (Optional) Optional.of("invoice " + id);

        assertThatReadingBackFails("Invoice");
    }

    @Test
    void aLoaderOutsideTheTransactionOfTheStepFailsTheContract() {
        loader = id -> CompletableFuture.supplyAsync(() -> load(id)).join();

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(contract::theLoaderReadsInTheTransactionOfTheStep)
                .withMessageContaining("the loader finds a row that its transaction has inserted");
    }
}
