package com.example.docs.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.FreshDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Runs old and new code on one table, because both run at the same time during a rollout. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "spring.config.location=classpath:com/example/docs/migrating/",
            "spring.flyway.enabled=false",
            "spring.jpa.hibernate.ddl-auto=create"
        })
@FreshDatabase
class PayoutsTests {

    @Autowired
    Payouts payouts;

    @Autowired
    PayoutsByHand byHand;

    @Autowired
    RecordingBank bank;

    @Autowired
    JdbcClient database;

    @BeforeEach
    void onePayoutIsNewAndAnOldNodeProcessesTheOther() {
        bank.keys.clear();
        database.sql("DELETE FROM payout").update();
        database.sql("""
                INSERT INTO payout (id, iban, cents, status, version)
                VALUES (1, 'AT61', 100, 'NEW', 0), (2, 'AT62', 100, 'PROCESSING', 0)""").update();
    }

    @Test
    void theOldCodeDoesNotRepeatPayoutsOfTheNewCode() {
        assertThat(payouts.pay(1)).isTrue();
        byHand.pay(1, "AT61", 100);

        assertThat(bank.keys).containsExactly("payout-1");
        assertThat(statusOf(1)).isEqualTo("PAID");
    }

    @Test
    void theNewCodeDoesNotRepeatPayoutsOfTheOldCode() {
        byHand.pay(1, "AT61", 100);

        assertThat(payouts.pay(1)).isFalse();
        assertThat(bank.keys).containsExactly("payout-1");
        assertThat(statusOf(1)).isEqualTo("PAID");
    }

    @Test
    void theNewCodeDoesNotTouchPayoutsThatAnOldNodeProcesses() {
        assertThat(payouts.pay(2)).isFalse();
        assertThat(bank.keys).isEmpty();
        assertThat(statusOf(2)).isEqualTo("PROCESSING");
    }

    private String statusOf(long id) {
        return database.sql("SELECT status FROM payout WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    @Component
    static class RecordingBank implements Bank {

        final List<String> keys = new CopyOnWriteArrayList<>();

        @Override
        public String transfer(String iban, long cents, String key) {
            keys.add(key);
            return "transfer-" + key;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @ComponentScan
    static class Application {}
}
