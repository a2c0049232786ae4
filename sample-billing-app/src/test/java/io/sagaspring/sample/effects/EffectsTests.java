package io.sagaspring.sample.effects;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Node;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/** External systems do not roll back. The {@code EffectsLedger} records every call to them. */
@SampleTest
class EffectsTests {

    private final Api api;
    private final Mailer mailer;
    private final TransactionTemplate transaction;
    private final JdbcClient effects;

    EffectsTests(
            @LocalServerPort int port,
            @Autowired Mailer mailer,
            @Autowired PlatformTransactionManager transactions,
            @Autowired @Qualifier("effectsJdbcClient") JdbcClient effects) {
        this.api = new Api(port);
        this.mailer = mailer;
        this.transaction = new TransactionTemplate(transactions);
        this.effects = effects;
    }

    @Test
    void anEffectSurvivesTheRollbackOfItsTransaction() {
        transaction.executeWithoutResult(status -> {
            mailer.send("ada@example.org", "ROLLED-BACK", "key-1");
            status.setRollbackOnly();
        });

        assertThat(api.mails("ROLLED-BACK").texts("key")).containsExactly("key-1");
    }

    @Test
    void everyCallIsListedOldestFirst() {
        Instant before = Instant.now().minusSeconds(60);
        mailer.send("ada@example.org", "SAME", "key-2");
        mailer.send("ada@example.org", "SAME", "key-2");
        mailer.send("ada@example.org", "SAME", "key-1");

        JsonNode rows = api.get("/api/effects?ref=SAME&kind=").body();

        assertThat(api.mails("SAME").texts("key")).containsExactly("key-2", "key-2", "key-1");
        assertThat(rows.at("/0/kind").asString()).isEqualTo("email");
        assertThat(rows.at("/0/node").asString()).isNotBlank();
        assertThat(Instant.parse(rows.at("/0/at").asString())).isAfter(before);
        assertThat(api.get("/api/effects?ref=&kind=").texts("ref")).contains("SAME");
        assertThat(api.get("/api/effects?ref=SAME&kind=charge").body()).isEmpty();
        api.get("/api/effects?ref=%00").requireProblem(400, "");
        api.get("/api/effects?kind=%00").requireProblem(400, "");
        api.get("/api/effects?last=2147483648").requireProblem(400, "");
        assertThat(api.get("/api/effects?ref=SAME&last=2147483647").body()).hasSize(3);
    }

    @Test
    void deduplicationRecordsOnlyOneOfManyCallsWithAKey() {
        EffectsLedger once = new EffectsLedger(effects, true, new Node());

        Work.race(8, caller -> {
                    once.append("email", "ONCE", "once-1");
                    return caller;
                })
                .forEach(CompletableFuture::join);
        once.append("email", "ONCE", "once-2");

        assertThat(api.mails("ONCE").texts("key")).containsExactly("once-1", "once-2");
    }
}
