package io.sagaspring.benchmarks;

import io.sagaspring.autoconfigure.FoundationAutoConfiguration;
import io.sagaspring.autoconfigure.IdempotencyAutoConfiguration;
import io.sagaspring.autoconfigure.SchemaAutoConfiguration;
import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.Contest.Work;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Measures the cost of a request with a new key and of its repetition, compared with statements written by hand. The
 * work is a transaction that writes one row. In one variant, the key is committed in that transaction.
 */
final class KeyBenchmark {

    private KeyBenchmark() {}

    enum Variant {
        BY_HAND("L"),
        TWO_COMMITS("`idempotency.execute(…)`"),
        ONE_COMMIT("`idempotency.inTransaction().execute(…)`");

        private final String description;

        Variant(String description) {
            this.description = description;
        }

        @Override
        public String toString() {
            return description;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        SchemaAutoConfiguration.class,
        FoundationAutoConfiguration.class,
        IdempotencyAutoConfiguration.class
    })
    static class KeyApplication {}

    public static void main(String[] args) throws IOException {
        Duration slice = Duration.ofMillis(500);
        Results<Variant> unused = measure(List.of(new Setting(16, Duration.ZERO)), Rounds.FOR_THE_COMPILER, 0, slice);
        System.out.println("A request with a new key, and a repeated request.");
        measure(Setting.all(), Rounds.givenOr(40), 10, slice).print(List.of(Variant.BY_HAND));
    }

    static Results<Variant> measure(List<Setting> settings, int rounds, int warmUp, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open()) {
            JdbcClient.create(database.dataSource()).sql(KeysByHand.TABLE).update();
            Map<Variant, Turn> counted;
            try (var context = open(database.urlWith(WireCounter.DRIVER_SETTING), 1)) {
                counted = contest(context, database).counted(1, slice);
            }
            Map<Setting, List<Map<Variant, Turn>>> measured = new LinkedHashMap<>();
            for (Setting setting : settings) {
                try (var context = open(database.urlWith(setting.driverSetting()), setting.callers())) {
                    measured.put(setting, contest(context, database).rounds(setting.callers(), rounds, warmUp, slice));
                }
            }
            return new Results<>(measured, Map.of(Setting.ALONE, counted));
        }
    }

    private static ConfigurableApplicationContext open(String url, int connections) {
        return new SpringApplicationBuilder(KeyApplication.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=" + connections,
                        "spring.main.banner-mode=off")
                .run();
    }

    private static Contest<Variant> contest(ConfigurableApplicationContext context, DurableDatabase database) {
        DataSource pool = context.getBean(DataSource.class);
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        Consumer<String> business = requestId -> KeysByHand.work(pool, requestId);
        Consumer<String> committed = requestId -> transaction.executeWithoutResult(begun -> business.accept(requestId));
        Idempotency twoCommits = context.getBean(Idempotency.class);
        Idempotency oneCommit = twoCommits.inTransaction();
        KeysByHand byHand = new KeysByHand(pool, committed);
        Map<Variant, Work> contenders = new EnumMap<>(Variant.class);
        contenders.put(Variant.BY_HAND, number -> byHand.sendTwice("request-" + number));
        contenders.put(Variant.TWO_COMMITS, number -> sendTwice(twoCommits, "two", "request-" + number, committed));
        contenders.put(Variant.ONE_COMMIT, number -> sendTwice(oneCommit, "one", "request-" + number, business));
        return new Contest<>(contenders, database);
    }

    private static void sendTwice(Idempotency idempotency, String operation, String requestId, Consumer<String> work) {
        IdempotencyKey key = IdempotencyKey.of(operation, requestId);
        String first = idempotency.execute(key, String.class, () -> {
            work.accept(requestId);
            return KeysByHand.REPLY;
        });
        String second = idempotency.execute(key, String.class, () -> "done twice");
        if (!first.equals(second)) {
            throw new IllegalStateException(
                    "The repeated request %s got a different reply: %s".formatted(requestId, second));
        }
    }
}
