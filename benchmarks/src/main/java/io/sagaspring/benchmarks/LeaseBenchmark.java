package io.sagaspring.benchmarks;

import io.sagaspring.autoconfigure.FoundationAutoConfiguration;
import io.sagaspring.autoconfigure.LeaseAutoConfiguration;
import io.sagaspring.autoconfigure.SchemaAutoConfiguration;
import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.Contest.Work;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Measures the cost of a lease that is acquired, verified twice, renewed and released. */
final class LeaseBenchmark {

    private static final Duration TTL = Duration.ofSeconds(30);

    /**
     * The number of lease names. This number is much larger than the number of callers, so that callers do not compete
     * for a name. The first rounds use all names, so that the later rounds find a row for each name.
     */
    private static final int NAMES = 1_000;

    private LeaseBenchmark() {}

    enum Variant {
        BY_HAND("L"),
        LEASE("`LeaseManager`"),
        SHEDLOCK("ShedLock, without verifying");

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
        SchemaAutoConfiguration.class,
        FoundationAutoConfiguration.class,
        LeaseAutoConfiguration.class
    })
    static class LeaseApplication {}

    public static void main(String[] args) throws IOException {
        Duration slice = Duration.ofMillis(500);
        Results<Variant> unused = measure(List.of(new Setting(16, Duration.ZERO)), Rounds.FOR_THE_COMPILER, 0, slice);
        System.out.println("One lease.");
        measure(Setting.all(), Rounds.givenOr(40), 10, slice).print(List.of(Variant.BY_HAND));
    }

    static Results<Variant> measure(List<Setting> settings, int rounds, int warmUp, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open()) {
            JdbcClient.create(database.dataSource()).sql(LeaseByHand.TABLE).update();
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
        return new SpringApplicationBuilder(LeaseApplication.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=" + connections,
                        "spring.main.banner-mode=off")
                .run();
    }

    private static Contest<Variant> contest(ConfigurableApplicationContext context, DurableDatabase database) {
        DataSource pool = context.getBean(DataSource.class);
        LeaseManager leases = context.getBean(LeaseManager.class);
        LeaseByHand byHand = new LeaseByHand(pool);
        LockProvider shedLock = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
        Map<Variant, Work> contenders = new EnumMap<>(Variant.class);
        contenders.put(Variant.BY_HAND, number -> byHand.holdOnce(name(number)));
        contenders.put(Variant.LEASE, number -> holdOnce(leases, new LeaseName(name(number))));
        contenders.put(Variant.SHEDLOCK, number -> holdOnce(shedLock, name(number)));
        return new Contest<>(contenders, database);
    }

    private static String name(long number) {
        return "name-" + number % NAMES;
    }

    private static void holdOnce(LeaseManager leases, LeaseName name) {
        try (Lease lease = leases.acquire(name)) {
            require(lease.guard().isHeld());
            require(lease.renew());
            require(lease.guard().isHeld());
        }
    }

    private static void holdOnce(LockProvider shedLock, String name) {
        SimpleLock lock = shedLock.lock(new LockConfiguration(Instant.now(), name, TTL, Duration.ZERO))
                .orElseThrow();
        lock.extend(TTL, Duration.ZERO).orElseThrow().unlock();
    }

    private static void require(boolean done) {
        if (!done) {
            throw new IllegalStateException("The lease was lost");
        }
    }
}
