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

/** Tests a node that is frozen beyond the end of its lease, and continues after another node has completed its run. */
@Tag("chaos")
class RunZombieTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** Two less than the number of runs that a node executes at a time. */
    private static final int MANY = 6;

    private static Offices offices;
    private static int zombies;

    private final AtomicInteger searches = new AtomicInteger();
    private Office successor;

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
        offices.clear();
        successor = offices.office("heir", new Around() {
            @Override
            public void before(String sql, Connection connection) {
                if (EngineStatement.RUN_PICK_UP.is(sql)) {
                    searches.incrementAndGet();
                }
            }
        });
    }

    @AfterEach
    void closeSuccessor() {
        successor.close();
    }

    /**
     * The node freezes in the code of a step. After the step comes a checkpoint, the commit of the step, a wait or the
     * end. A deaf step ignores the interrupt and continues. Only the token stops it.
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
    void aNodeFrozenInAStepCannotChangeARunThatAnotherNodeHasCompleted(String step, String ears) throws Exception {
        try (ForkedProcess zombie = offices.fork("zombie-" + zombies++)) {
            RunId run = frozenIn(zombie, step, ears);
            assertThat(successor.opened().runs().handle(run, Errand.class).await(SOON))
                    .endsWith(" go");
            List<Journaled> journal = offices.inspection().journal();
            List<Booked> booked = offices.inspection().booked();

            zombie.thaw();
            if (ears.equals("deaf")) {
                zombie.send("go");
            }

            assertThat(zombie.await("LEFT")).isEqualTo(run.toString());
            assertThat(offices.inspection().journal()).isEqualTo(journal);
            assertThat(offices.inspection().booked()).isEqualTo(booked);
            assertThat(successor.runs().find(run).orElseThrow().state()).isEqualTo(RunState.COMPLETED);
            assertThat(offices.inspection().faults(Set.of(run.value()), 1)).isEmpty();
        }
    }

    /** After the fence, the run's row is locked. Another node can take over the run only after the commit. */
    @Test
    void noNodeTakesOverARunWhoseNodeIsFrozenBetweenFenceAndCommit() throws Exception {
        String name = "zombie-" + zombies++;
        try (ForkedProcess zombie = offices.fork(name)) {
            zombie.await("READY");
            zombie.send("hold-fence");
            RunId run = started(zombie);
            zombie.await("FENCED");
            zombie.freeze();
            successor.opened();
            await().atMost(SOON).until(() -> offices.isOverdue(run.value()));
            int before = searches.get();
            await().atMost(SOON).until(() -> searches.get() > before + 5);
            assertThat(successor.runs().find(run).orElseThrow().node()).isEqualTo(name);

            zombie.thaw();
            zombie.send("go");

            assertThat(successor.runs().handle(run, Errand.class).await(SOON)).endsWith(" go");
            assertThat(offices.inspection().booked())
                    .extracting(Booked::step, Booked::node)
                    .contains(tuple("book", name));
            assertThat(offices.inspection().faults(Set.of(run.value()), 1)).isEmpty();
        }
    }

    /** While the node is frozen, another node takes over each of the runs and completes it. */
    @Test
    void aNodeFrozenWithABatchCannotChangeRunsThatAnotherNodeHasCompleted() throws Exception {
        try (ForkedProcess zombie = offices.fork("zombie-" + zombies++, Commits.SHARED)) {
            List<RunId> runs = gatheredIn(zombie);
            zombie.freeze();
            successor.opened();
            requireCompletion(runs);
            List<Journaled> journal = offices.inspection().journal();
            List<Booked> booked = offices.inspection().booked();

            zombie.thaw();
            zombie.send("let-go");

            assertThat(zombie.await("BATCH")).isEqualTo(Integer.toString(MANY - 1));
            assertThat(left(zombie, MANY)).containsExactlyInAnyOrderElementsOf(runs);
            assertThat(offices.inspection().journal()).isEqualTo(journal);
            assertThat(offices.inspection().booked()).isEqualTo(booked);
            assertThat(offices.inspection().faults(values(runs), 1)).isEmpty();
        }
    }

    @Test
    void onlyTheRunThatWasTakenOverIsRefusedInABatch() throws Exception {
        String name = "zombie-" + zombies++;
        try (ForkedProcess zombie = offices.forkWithLongLease(name, Commits.SHARED)) {
            List<RunId> runs = gatheredIn(zombie);
            RunId takenOver = runs.get(MANY / 2);
            successor.opened();
            await().atMost(SOON).until(() -> isTakenOver(takenOver, name));
            requireCompletion(List.of(takenOver));
            List<Journaled> journal = journal(takenOver);

            zombie.send("let-go");

            assertThat(zombie.await("BATCH")).isEqualTo(Integer.toString(MANY - 1));
            assertThat(left(zombie, 1)).containsExactly(takenOver);
            requireCompletion(runs);
            zombie.kill();
            assertThat(zombie.rest("LEFT")).isEmpty();
            assertThat(journal(takenOver)).isEqualTo(journal);
            assertThat(offices.inspection().sharedCommits()).contains(MANY - 1);
            assertThat(offices.inspection().repeated()).isEqualTo(1);
            assertThat(offices.inspection().faults(values(runs), 1)).isEmpty();
        }
    }

    private static boolean isTakenOver(RunId run, String node) {
        return offices.client()
                        .sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE id = ? AND node = ?")
                        .params(run.value(), node)
                        .update()
                == 0;
    }

    /** Returns runs that have each executed their first step, and wait until all these steps are journaled together. */
    private List<RunId> gatheredIn(ForkedProcess zombie) throws Exception {
        zombie.await("READY");
        zombie.send("linger pay deaf");
        // On a slow machine, a lease may end early. The node must not execute the run a second time.
        zombie.send("pick-up-nothing");
        zombie.send("open");
        for (int run = 0; run < MANY; run++) {
            zombie.send("start frozen-" + run);
            zombie.await("INSIDE pay");
        }
        zombie.send("jam " + MANY);
        zombie.await("GATHERED");
        List<RunId> runs = offices.inspection().runs().stream()
                .map(found -> new RunId(found.id()))
                .toList();
        runs.forEach(run -> {
            var unused = successor.runs().signal(run, Errand.WORD, "go");
        });
        return runs;
    }

    private void requireCompletion(List<RunId> runs) throws Exception {
        for (RunId run : runs) {
            assertThat(successor.runs().handle(run, Errand.class).await(SOON)).endsWith(" go");
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
        zombie.send("linger %s %s".formatted(step, ears));
        RunId run = started(zombie);
        zombie.await("INSIDE " + step);
        zombie.freeze();
        return run;
    }

    private RunId started(ForkedProcess zombie) throws Exception {
        zombie.send("open");
        zombie.send("start frozen");
        RunId run = RunId.of(zombie.await("BEGUN"));
        var unused = successor.runs().signal(run, Errand.WORD, "go");
        return run;
    }
}
