package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.chaos.ForkedProcess;
import io.sagaspring.workflow.TransitionOutcome;
import jakarta.persistence.EntityManagerFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it acts on an entity of every mapping. Another node reverts the claims. */
@Tag("chaos")
class MappedKillTests extends MappedShop {

    private record Saved(Object key, EntityRow row) {}

    @Test
    @Clause.Shown(Clause.KILL)
    void anotherNodeRevertsTheClaimsOfAKilledProcess(@TempDir Path logs) throws Exception {
        shop.database().sql("CREATE TABLE written (token bigint)").update();
        Map<Mapping, Saved> saved = new EnumMap<>(Mapping.class);
        try (ForkedProcess node = start(logs.resolve("node.log"))) {
            node.await("READY");
            for (Mapping mapping : Mapping.values()) {
                Object key = mapping.save();
                saved.put(mapping, new Saved(key, mapping.read(key)));
                node.send("%s %s".formatted(mapping, mapping.text(key)));
            }
            for (Mapping ignored : Mapping.values()) {
                node.await("INSIDE");
            }
            node.kill();
        }
        assertThat(saved).containsOnlyKeys(Mapping.values());
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
        saved.forEach((mapping, entity) ->
                assertThat(mapping.close(entity.key())).isInstanceOf(TransitionOutcome.Completed.class));
    }

    private static void assertRows(Map<Mapping, Saved> saved, int state, int changes) {
        // The caches of this node do not show the writes of another process.
        shop.bean(EntityManagerFactory.class).getCache().evictAll();
        saved.forEach((mapping, entity) ->
                assertRow(mapping, entity.key(), entity.row(), mapping.states().get(state), changes));
    }

    private static ForkedProcess start(Path log) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // The JVM does not live long enough to profit from the second compiler.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-classpath",
                System.getProperty("java.class.path"),
                MappedProcess.class.getName(),
                "--spring.jpa.hibernate.ddl-auto=none",
                "--spring.datasource.url=" + database.getJdbcUrl(),
                "--spring.datasource.username=" + Objects.requireNonNullElse(database.getUsername(), ""),
                "--spring.datasource.password=" + Objects.requireNonNullElse(database.getPassword(), ""),
                // Each action holds a connection.
                "--spring.datasource.hikari.minimum-idle=1",
                "--spring.datasource.hikari.maximum-pool-size=" + (Mapping.values().length + 5));
        return ForkedProcess.start("node", log, command, Map.of());
    }
}
