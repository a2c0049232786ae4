package io.sagaspring.autoconfigure;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** When a node closes, the work of web requests under leases continues during the drain of the web server. */
class RequestsUnderLeasesTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @AfterAll
    static void close() {
        database.close();
    }

    private static final class Progress {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private final CountDownLatch draining = new CountDownLatch(1);
        private final CompletableFuture<String> outcome = new CompletableFuture<>();
    }

    @RestController
    static class Letters {

        private final LeaseManager leases;
        private final Progress progress;

        Letters(LeaseManager leases, Progress progress) {
            this.leases = leases;
            this.progress = progress;
        }

        @PostMapping("/letters")
        String write() throws Exception {
            try {
                return leases.during(LeaseName.of("letters"), () -> {
                    progress.begun.countDown();
                    progress.released.await();
                    progress.outcome.complete("written");
                    return "written";
                });
            } catch (Exception interrupted) {
                progress.outcome.complete(String.valueOf(interrupted.getMessage()));
                throw interrupted;
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Letters.class)
    static class Web {

        @Bean
        Progress progress() {
            return new Progress();
        }

        /** Stops after all background work of the library, and directly before the drain of the web server. */
        @Bean
        SmartLifecycle beforeTheDrain(Progress progress) {
            return new SmartLifecycle() {
                @Override
                public void start() {}

                @Override
                public void stop() {
                    progress.draining.countDown();
                }

                @Override
                public boolean isRunning() {
                    return progress.draining.getCount() > 0;
                }

                @Override
                public int getPhase() {
                    return DEFAULT_PHASE - 1000;
                }
            };
        }
    }

    private static Shop open(String drain) {
        return Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Web.class),
                Http.ON_ANY_PORT,
                "spring.lifecycle.timeout-per-shutdown-phase=" + drain);
    }

    @Test
    void aRequestUnderALeaseIsCompletedWhenItsNodeCloses() throws Exception {
        Shop shop = open("20s");
        Progress progress = shop.bean(Progress.class);
        Http http = new Http(shop);
        CompletableFuture<String> response =
                OwnThread.call(() -> http.send("POST", "/letters").text());
        assertThat(progress.begun.await(20, SECONDS)).isTrue();

        CompletableFuture<Void> closing = OwnThread.run(shop::close);
        assertThat(progress.draining.await(20, SECONDS)).isTrue();
        progress.released.countDown();

        assertThat(response.get(20, SECONDS)).isEqualTo("written");
        assertThat(progress.outcome.get(20, SECONDS)).isEqualTo("written");
        closing.get(20, SECONDS);
    }

    @Test
    void aRequestThatOutlastsTheDrainIsInterruptedAndReleasesItsLease() throws Exception {
        Shop shop = open("100ms");
        Progress progress = shop.bean(Progress.class);
        Http http = new Http(shop);
        CompletableFuture<Integer> response =
                OwnThread.call(() -> http.send("POST", "/letters").status());
        assertThat(progress.begun.await(20, SECONDS)).isTrue();

        shop.close();

        assertThat(progress.outcome.get(20, SECONDS)).contains("this node closes");
        assertThat(JdbcClient.create(database.dataSource())
                        .sql("SELECT count(*) FROM saga_lease WHERE expires_at > clock_timestamp()")
                        .query(Integer.class)
                        .single())
                .isZero();
        response.handle((status, cut) -> status).get(20, SECONDS);
    }
}
