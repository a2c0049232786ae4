package io.sagaspring.chaos;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.sagaspring.chaos.RunInspection.Booked;
import io.sagaspring.chaos.RunInspection.Journaled;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.shop.Interference.Around;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A node that stands still past its lease comes back, and finds its run driven to the end by another one. */
@Tag("chaos")
class RunZombieTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** As many runs as a node drives at a time, but for two. */
    private static final int MANY = 6;

    private static Offices offices;
    private static int zombies;

    private final AtomicInteger looks = new AtomicInteger();
    private Office heir;

    @BeforeAll
    static void create(@TempDir Path logs) {
        offices = new Offices(logs, Duration.ofMillis(50));
    }

    @AfterAll
    static void drop() {
        offices.close();
    }

    @BeforeEach
    void open() {
        offices.forget();
        heir = offices.office("heir", new Around() {
            @Override
            public void before(String sql, Connection connection) {
                if (EngineStatement.RUN_TAKE.is(sql)) {
                    looks.incrementAndGet();
                }
            }
        });
    }

    @AfterEach
    void closeHeir() {
        heir.close();
    }

    /**
     * In the body of a step that is followed by a checkpoint, by its own commit, by a wait, by the end. Who is deaf to the
     * interrupt goes on from there as if nothing had happened, and is stopped by the token alone.
     */
    @ParameterizedTest
    @CsvSource({
        "pay, deaf",
        "pay, alert",
        "book, deaf",
        "book, alert",
        "pack, deaf",
        "pack, alert",
        "notify, deaf",
        "notify, alert"
    })
    void aNodeFrozenInAStepAddsNothingToTheRunOfItsSuccessor(String step, String ears) throws Exception {
        try (ForkedProcess zombie = offices.fork("zombie-" + zombies++)) {
            RunId run = frozenIn(zombie, step, ears);
            assertThat(heir.opened().runs().handle(run, Errand.class).await(SOON))
                    .endsWith(" go");
            List<Journaled> journal = offices.inspection().journal();
            List<Booked> booked = offices.inspection().booked();

            zombie.thaw();
            if (ears.equals("deaf")) {
                zombie.tell("go");
            }

            assertThat(zombie.await("LEFT")).isEqualTo(run.toString());
            assertThat(offices.inspection().journal()).isEqualTo(journal);
            assertThat(offices.inspection().booked()).isEqualTo(booked);
            assertThat(heir.runs().find(run).orElseThrow().state()).isEqualTo(RunState.COMPLETED);
            assertThat(offices.inspection().faults(Set.of(run.value()), 1)).isEmpty();
        }
    }

    /** Behind the fence the run's row is locked, so that there is nobody who could be overtaken: it waits for the commit. */
    @Test
    void aNodeFrozenBetweenFenceAndCommitHasNoSuccessorYet() throws Exception {
        String name = "zombie-" + zombies++;
        try (ForkedProcess zombie = offices.fork(name)) {
            zombie.await("READY");
            zombie.tell("hold-fence");
            RunId run = started(zombie);
            zombie.await("FENCED");
            zombie.freeze();
            heir.opened();
            await().atMost(SOON).until(() -> offices.isOverdue(run.value()));
            int before = looks.get();
            await().atMost(SOON).until(() -> looks.get() > before + 5);
            assertThat(heir.runs().find(run).orElseThrow().node()).isEqualTo(name);

            zombie.thaw();
            zombie.tell("go");

            assertThat(heir.runs().handle(run, Errand.class).await(SOON)).endsWith(" go");
            assertThat(offices.inspection().booked())
                    .extracting(Booked::step, Booked::node)
                    .contains(tuple("book", name));
            assertThat(offices.inspection().faults(Set.of(run.value()), 1)).isEmpty();
        }
    }

    /** Each of them has another driver now, who has brought it to its end. */
    @Test
    void aNodeFrozenWithABatchAddsToNoneOfItsRuns() throws Exception {
        try (ForkedProcess zombie = offices.fork("zombie-" + zombies++, Commits.SHARED)) {
            List<RunId> runs = gatheredIn(zombie);
            zombie.freeze();
            heir.opened();
            requireEnd(runs);
            List<Journaled> journal = offices.inspection().journal();
            List<Booked> booked = offices.inspection().booked();

            zombie.thaw();
            zombie.tell("let-go");

            assertThat(zombie.await("BATCH")).isEqualTo(Integer.toString(MANY - 1));
            assertThat(left(zombie, MANY)).containsExactlyInAnyOrderElementsOf(runs);
            assertThat(offices.inspection().journal()).isEqualTo(journal);
            assertThat(offices.inspection().booked()).isEqualTo(booked);
            assertThat(offices.inspection().faults(values(runs), 1)).isEmpty();
        }
    }

    @Test
    void ofABatchOnlyTheRunIsRefusedThatWasOvertaken() throws Exception {
        String name = "zombie-" + zombies++;
        try (ForkedProcess zombie = offices.fork(name, Commits.SHARED)) {
            List<RunId> runs = gatheredIn(zombie);
            RunId overtaken = runs.get(MANY / 2);
            heir.opened();
            await().atMost(SOON).until(() -> isOvertaken(overtaken, name));
            requireEnd(List.of(overtaken));
            List<Journaled> journal = journal(overtaken);

            zombie.tell("let-go");

            assertThat(zombie.await("BATCH")).isEqualTo(Integer.toString(MANY - 1));
            assertThat(left(zombie, 1)).containsExactly(overtaken);
            requireEnd(runs);
            zombie.kill();
            assertThat(zombie.rest("LEFT")).isEmpty();
            assertThat(journal(overtaken)).isEqualTo(journal);
            assertThat(offices.inspection().sharedCommits()).contains(MANY - 1);
            assertThat(offices.inspection().repeated()).isEqualTo(1);
            assertThat(offices.inspection().faults(values(runs), 1)).isEmpty();
        }
    }

    private static boolean isOvertaken(RunId run, String node) {
        return offices.client()
                        .sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE id = ? AND node = ?")
                        .params(run.value(), node)
                        .update()
                == 0;
    }

    /** Runs of which each has done its first step, and waits for the others until that is journaled. */
    private List<RunId> gatheredIn(ForkedProcess zombie) throws Exception {
        zombie.await("READY");
        zombie.tell("linger pay deaf");
        zombie.tell("open");
        for (int run = 0; run < MANY; run++) {
            zombie.tell("start frozen-" + run);
            zombie.await("INSIDE pay");
        }
        zombie.tell("jam " + MANY);
        zombie.await("GATHERED");
        List<RunId> runs = offices.inspection().runs().stream()
                .map(found -> new RunId(found.id()))
                .toList();
        runs.forEach(run -> {
            var unused = heir.runs().signal(run, Errand.WORD, "go");
        });
        return runs;
    }

    private void requireEnd(List<RunId> runs) throws Exception {
        for (RunId run : runs) {
            assertThat(heir.runs().handle(run, Errand.class).await(SOON)).endsWith(" go");
        }
    }

    private static List<RunId> left(ForkedProcess zombie, int runs) throws InterruptedException {
        List<RunId> left = new ArrayList<>();
        while (left.size() < runs) {
            left.add(RunId.of(zombie.await("LEFT")));
        }
        return left;
    }

    private static List<Journaled> journal(RunId run) {
        return offices.inspection().journal().stream()
                .filter(entry -> entry.run().equals(run.value()))
                .toList();
    }

    private static Set<UUID> values(List<RunId> runs) {
        return runs.stream().map(RunId::value).collect(toSet());
    }

    private RunId frozenIn(ForkedProcess zombie, String step, String ears) throws Exception {
        zombie.await("READY");
        zombie.tell("linger %s %s".formatted(step, ears));
        RunId run = started(zombie);
        zombie.await("INSIDE " + step);
        zombie.freeze();
        return run;
    }

    private RunId started(ForkedProcess zombie) throws Exception {
        zombie.tell("open");
        zombie.tell("start frozen");
        RunId run = RunId.of(zombie.await("BEGUN"));
        var unused = heir.runs().signal(run, Errand.WORD, "go");
        return run;
    }
}
