package io.sagaspring.sample;

import io.sagaspring.test.database.TestDatabase;
import java.time.Instant;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads for which instants the schedule 'tick' has fired. The run of such an instant may not have been executed yet. */
public final class FiredTicks {

    private static final String KEY = "schedule:tick@";

    private FiredTicks() {}

    /** Returns the instants in order. */
    public static List<Instant> of(TestDatabase database) {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT start_key FROM saga_run WHERE starts_with(start_key, ?)")
                .param(KEY)
                .query(String.class)
                .list()
                .stream()
                .map(key -> Instant.parse(key.substring(KEY.length())))
                .sorted()
                .toList();
    }
}
