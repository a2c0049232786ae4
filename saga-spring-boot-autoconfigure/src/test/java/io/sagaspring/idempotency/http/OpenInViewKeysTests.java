package io.sagaspring.idempotency.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.PoolSettings;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * With open-in-view, the default of Spring Boot, each request keeps its connection until it ends. A pool of N
 * connections is enough for N requests.
 */
class OpenInViewKeysTests {

    private static final int CALLERS = 4;

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @RestController
    static class PackingDesk {

        private final EntityManager entities;
        private final TransactionTemplate transaction;
        private final CyclicBarrier all = new CyclicBarrier(CALLERS);

        PackingDesk(EntityManager entities, PlatformTransactionManager transactions) {
            this.entities = entities;
            this.transaction = new TransactionTemplate(transactions);
        }

        @PostMapping("/parcels/{name}")
        @Idempotent
        public String pack(@PathVariable String name) throws Exception {
            transaction.executeWithoutResult(status -> entities.persist(new Parcel()));
            all.await(20, SECONDS);
            if (name.equals("refused")) {
                throw new IllegalStateException("refused");
            }
            return "packed " + name;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEFAULTS", "NO_AUTO_COMMIT", "NO_AUTO_COMMIT_AND_SERIALIZABLE"})
    void aPoolOfNConnectionsIsEnoughForNCallers(PoolSettings settings) throws Exception {
        List<String> properties = new ArrayList<>(List.of(settings.and(Http.ON_ANY_PORT)));
        properties.addAll(List.of(
                "spring.jpa.open-in-view=true",
                "spring.datasource.hikari.maximum-pool-size=" + CALLERS,
                "spring.datasource.hikari.connection-timeout=30000",
                "saga.due.poll-interval=1h"));
        try (Shop shop = Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(PackingDesk.class),
                properties.toArray(String[]::new))) {
            Http client = new Http(shop);
            List<String> names = List.of("one", "two", "three", "refused");
            List<CompletableFuture<Http.Answer>> answers = names.stream()
                    .map(name -> OwnThread.call(
                            () -> client.post("/parcels/" + name).key(name).send()))
                    .toList();
            List<Integer> statuses = new ArrayList<>();
            for (CompletableFuture<Http.Answer> answer : answers) {
                statuses.add(answer.get(30, SECONDS).status());
            }

            assertThat(statuses).containsExactly(200, 200, 200, 500);
            assertThat(client.post("/parcels/one").key("one").send().isReplayed())
                    .isTrue();
            assertThat(shop.database()
                            .sql("SELECT request_id FROM saga_idempotency_key")
                            .query(String.class)
                            .list())
                    .containsExactlyInAnyOrder("one", "two", "three");
        }
    }
}
