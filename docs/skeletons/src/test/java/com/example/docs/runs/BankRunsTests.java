package com.example.docs.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.run.SignalResult;
import io.sagaspring.test.database.FreshDatabase;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;

@SpringBootTest
@TestPropertySource(
        properties = {
            "spring.config.name=none",
            "spring.main.web-application-type=none",
            "spring.flyway.enabled=false",
            "spring.sql.init.mode=always",
            "spring.sql.init.schema-locations=classpath:com/example/docs/runs/schema.sql"
        })
@FreshDatabase
class BankRunsTests {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Autowired
    Opening opening;

    @Autowired
    Runs runs;

    @Autowired
    JdbcClient database;

    @Test
    void twoRequestsOfOneCustomerOpenOneAccount() {
        Customer customer = new Customer("c-1", "ada@example.org");

        RunId id = opening.openFor(customer);

        assertThat(opening.openFor(customer)).isEqualTo(id);
        await().atMost(LIMIT).until(() -> runs.find(id).orElseThrow().state() == RunState.WAITING);
        assertThat(database.sql("SELECT count(*) FROM bank_account")
                        .query(Long.class)
                        .single())
                .isOne();
    }

    @Test
    void aRunPaysOutWhenAPersonApproves() throws Exception {
        RunHandle<Optional<String>> payOut = runs.start(PayOut.class, new AccountId(7));

        assertThat(runs.signal(payOut.id(), "approved", "approval-1", "ada")).isEqualTo(SignalResult.ACCEPTED);
        assertThat(payOut.await(LIMIT)).contains("transfer-7");
    }

    /** An application for this test only. It does not scan for components, so it contains only the imported classes. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({BankStandIns.class, OpenAccount.class, OpenAtStartup.class, Opening.class, PayOut.class})
    static class Application {}
}
