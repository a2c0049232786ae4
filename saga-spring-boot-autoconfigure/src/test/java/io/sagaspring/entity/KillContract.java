package io.sagaspring.entity;

import static io.sagaspring.entity.ClaimedShop.assertRow;
import static io.sagaspring.entity.ClaimedShop.database;
import static io.sagaspring.entity.ClaimedShop.shop;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.chaos.ForkedProcess;
import io.sagaspring.workflow.TransitionOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of each kind of entity for a process that is killed during a step: another node reverts the claim. The
 * process is a {@link ClaimedProcess}, whose actions write to the table {@code written}.
 */
interface KillContract {

    /** Returns all kinds of entities. Each kind is an enum constant. */
    List<? extends Claimed> all();

    /** Returns the class with the process's main method. */
    Class<?> process();

    /** Clears the caches of this node, because they do not contain what another process has written. */
    default void forget() {}

    record Saved(Claimed kind, Object key, EntityRow row) {}

    @Clause.Shown(Clause.KILL)
    @Test
    default void anotherNodeRevertsTheClaimsOfAKilledProcess(@TempDir Path logs) throws Exception {
        List<Saved> saved = new ArrayList<>();
        try (ForkedProcess node = start(logs.resolve("node.log"))) {
            node.await("READY");
            for (Claimed kind : all()) {
                Object key = kind.save();
                saved.add(new Saved(kind, key, kind.read(key)));
                node.send("%s %s".formatted(kind, kind.text(key)));
            }
            for (Claimed ignored : all()) {
                node.await("INSIDE");
            }
            node.kill();
        }
        assertThat(saved).extracting(Saved::kind).isEqualTo(all());
        assertRows(saved, 1, 1);
        assertThat(shop.claims()).isEqualTo(saved.size());

        shop.silence(Duration.ofMinutes(6));
        assertThat(shop.sweep()).isEqualTo(saved.size());

        assertRows(saved, 0, 2);
        assertThat(shop.claims()).isZero();
        assertThat(shop.database()
                        .sql("SELECT count(*) FROM written")
                        .query(Integer.class)
                        .single())
                .isZero();
        saved.forEach(
                each -> assertThat(each.kind().close(each.key())).isInstanceOf(TransitionOutcome.Completed.class));
    }

    private void assertRows(List<Saved> saved, int state, int changes) {
        forget();
        saved.forEach(each -> assertRow(
                each.kind(), each.key(), each.row(), each.kind().states().get(state), changes));
    }

    private ForkedProcess start(Path log) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // The JVM does not live long enough to profit from the second compiler.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-classpath",
                System.getProperty("java.class.path"),
                process().getName(),
                "--spring.datasource.url=" + database.getJdbcUrl(),
                "--spring.datasource.username=" + Objects.requireNonNullElse(database.getUsername(), ""),
                "--spring.datasource.password=" + Objects.requireNonNullElse(database.getPassword(), ""),
                // Each action holds a connection.
                "--spring.datasource.hikari.minimum-idle=1",
                "--spring.datasource.hikari.maximum-pool-size=" + (all().size() + 5));
        return ForkedProcess.start("node", log, command, Map.of());
    }
}
