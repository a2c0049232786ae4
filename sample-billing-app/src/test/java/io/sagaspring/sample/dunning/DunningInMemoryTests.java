package io.sagaspring.sample.dunning;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.test.database.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests a chain whose leases are not in the database of the letters. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"saga.leases.store=memory"})
@FreshDatabase
class DunningInMemoryTests {

    private static final String STORIES = "{\"stories\":[\"s1\",\"s2\"],\"stepMillis\":500}";

    @Test
    void aChainRunsUnderALeaseInAnotherStore(@LocalServerPort int port, @Autowired JdbcClient jdbc) {
        Api api = new Api(port);

        assertThat(api.post("/api/dunning/memory/start", STORIES).status()).isEqualTo(202);
        assertThat(api.post("/api/dunning/memory/start", STORIES).text("status"))
                .isEqualTo("already_claimed");

        await().atMost(30, SECONDS)
                .until(() -> api.get("/api/dunning/memory").text("state").equals("passed"));
        assertThat(api.post("/api/dunning/memory/start", STORIES).text("status"))
                .isEqualTo("already_passed");
        assertThat(api.mails("memory/s1").body()).hasSize(1);
        assertThat(api.mails("memory/s2").body()).hasSize(1);
        assertThat(jdbc.sql("SELECT count(*) FROM saga_lease").query(Long.class).single())
                .isZero();
    }
}
