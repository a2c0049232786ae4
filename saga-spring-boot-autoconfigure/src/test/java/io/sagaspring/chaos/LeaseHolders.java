package io.sagaspring.chaos;

import io.sagaspring.lease.redis.TestRedis;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Starts a {@link LeaseProcess}. */
final class LeaseHolders {

    private LeaseHolders() {}

    static ForkedProcess start(
            String store,
            String node,
            Path directory,
            Duration ttl,
            TestDatabase database,
            Map<String, String> environment,
            String... more) {
        List<String> command = new ArrayList<>(ForkedJvm.command(LeaseProcess.class));
        command.addAll(List.of("node=" + node, "directory=" + directory, "ttl=" + ttl, "database=" + url(database)));
        if (store.equals("redis")) {
            command.add("redis=" + TestRedis.url());
        }
        command.addAll(List.of(more));
        return ForkedProcess.start(node, directory.resolve(node + ".log"), command, environment);
    }

    static String url(TestDatabase database) {
        String url = database.getJdbcUrl();
        return "%s%suser=%s&password=%s"
                .formatted(url, url.contains("?") ? "&" : "?", database.getUsername(), database.getPassword());
    }
}
