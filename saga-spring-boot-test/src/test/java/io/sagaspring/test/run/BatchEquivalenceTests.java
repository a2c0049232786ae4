package io.sagaspring.test.run;

import static io.sagaspring.test.run.BatchCases.checkpoints;
import static io.sagaspring.test.run.BatchCases.ends;
import static io.sagaspring.test.run.BatchCases.endsUnlessChanged;
import static io.sagaspring.test.run.BatchCases.maybe;
import static io.sagaspring.test.run.BatchCases.suspensions;
import static io.sagaspring.test.run.WrittenRuns.differences;
import static io.sagaspring.test.run.WrittenRuns.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.StoredValue;
import io.sagaspring.test.run.BatchCases.Case;
import io.sagaspring.test.run.BatchCases.Writing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A batch writes the same data as the statements for a single run. */
class BatchEquivalenceTests extends BatchedRuns {

    @Test
    void aBatchedCheckpointWritesTheSameDataAsASingleCheckpoint() throws Exception {
        assertWritesTheSame(checkpoints());
    }

    @Test
    void aBatchedSuspensionWritesTheSameDataAsASingleSuspension() throws Exception {
        assertWritesTheSame(suspensions());
    }

    @Test
    void aBatchedEndWritesTheSameDataAsASingleEnd() throws Exception {
        assertWritesTheSame(ends());
    }

    @Test
    void aBatchedConditionalEndWritesTheSameDataAsASingleConditionalEnd() throws Exception {
        assertWritesTheSame(endsUnlessChanged());
    }

    @Test
    void aBatchedStartWritesTheSameDataAsASingleStart() throws Exception {
        List<NewRun> runs = new ArrayList<>();
        for (boolean here : List.of(true, false)) {
            for (Duration deadline : maybe(Duration.ZERO, HOUR, Duration.ofDays(1_000_000))) {
                for (StoredValue input :
                        List.of(RunStoreContract.stored("ü\0"), new StoredValue("none", new byte[0]))) {
                    for (StoredValue carried : Arrays.asList(RunStoreContract.CARRIED, null)) {
                        runs.add(new NewRun(
                                RunId.next(), "batch", null, here ? "acme" : null, input, carried, deadline, here));
                    }
                }
            }
        }
        List<Map<String, @Nullable Object>> alone = new ArrayList<>();
        for (NewRun run : runs) {
            Started started = single.start(copyOf(run));
            assertThat(started.token() != null).isEqualTo(run.here());
            alone.add(row(started.id()));
        }

        List<CompletableFuture<Started>> answers = gathering.together(runs.stream()
                .<Supplier<Started>>map(run -> () -> shared.start(run))
                .toList());

        for (int each = 0; each < runs.size(); each++) {
            NewRun run = runs.get(each);
            Started started = answer(answers.get(each));
            assertThat(started.id()).isEqualTo(run.id());
            assertThat(started.token() != null).isEqualTo(run.here());
            Map<String, @Nullable Object> row = row(run.id());
            assertThat(row.get("token"))
                    .isEqualTo(started.token() == null ? null : started.token().value());
            assertThat(differences(alone.get(each), row)).as("%s", run).isEmpty();
        }
        assertWereOneBatch();
    }

    private static NewRun copyOf(NewRun run) {
        return new NewRun(
                RunId.next(), run.run(), null, run.tenant(), run.input(), run.carried(), run.deadline(), run.here());
    }

    private void assertWritesTheSame(List<Case> cases) throws Exception {
        Map<String, String> different = new LinkedHashMap<>();
        for (int from = 0; from < cases.size(); from += 100) {
            List<Case> some = cases.subList(from, Math.min(cases.size(), from + 100));
            List<RunLease> alone = new ArrayList<>();
            List<RunLease> together = new ArrayList<>();
            for (Case each : some) {
                alone.add(each.before().runLease(each.deadline()));
                together.add(each.before().runLease(each.deadline()));
            }
            List<Object> expected = new ArrayList<>();
            List<Supplier<Object>> calls = new ArrayList<>();
            for (int each = 0; each < some.size(); each++) {
                Writing writing = some.get(each).writing();
                RunLease runLease = together.get(each);
                expected.add(writing.by(single, alone.get(each)));
                calls.add(() -> writing.by(shared, runLease));
            }
            List<CompletableFuture<Object>> answers = gathering.together(calls);
            List<Object> answered = new ArrayList<>();
            for (CompletableFuture<Object> each : answers) {
                answered.add(answer(each));
            }
            WrittenRuns all = new WrittenRuns(
                    Stream.concat(alone.stream(), together.stream()).toList());
            for (int each = 0; each < some.size(); each++) {
                List<String> found = new ArrayList<>();
                Object given = answered.get(each);
                if (!given.equals(expected.get(each))) {
                    found.add("answered %s instead of %s".formatted(given, expected.get(each)));
                }
                found.addAll(all.differences(alone.get(each), together.get(each)));
                if (!found.isEmpty()) {
                    different.put(some.get(each).name(), found.toString());
                }
            }
        }
        assertThat(different).isEmpty();
    }
}
