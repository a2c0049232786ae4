package com.example.docs.runs;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Stands in for the services that your runs call. Replace this class. */
@Configuration(proxyBeanMethods = false)
class BankStandIns {

    private static final Logger logger = LoggerFactory.getLogger(BankStandIns.class);

    @Bean
    Bank.Accounts accounts(JdbcClient database) {
        return customer -> new AccountId(database.sql("INSERT INTO bank_account (customer) VALUES (?) RETURNING id")
                .param(customer.id())
                .query(Long.class)
                .single());
    }

    @Bean
    Bank.Cards cards() {
        return (account, key) -> logger.info("Ordered a card for account {}, key {}", account.value(), key);
    }

    @Bean
    Bank.Mailer mailer() {
        return (customer, key) -> logger.info("Welcomed {}, key {}", customer.email(), key);
    }

    @Bean
    Bank.Transfers transfers() {
        Map<String, String> sent = new ConcurrentHashMap<>();
        return new Bank.Transfers() {

            @Override
            public String send(AccountId account, String idempotencyKey) {
                String transfer = "transfer-" + account.value();
                sent.put(idempotencyKey, transfer);
                logger.info("Sent {}, key {}", transfer, idempotencyKey);
                return transfer;
            }

            @Override
            public Optional<String> find(String idempotencyKey) {
                return Optional.ofNullable(sent.get(idempotencyKey));
            }
        };
    }
}
