package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A step that must not be repeated is in doubt only if it may have begun. */
class StepsInDoubtTests extends RunsOnPostgres {

    @Test
    void aStepIsNotInDoubtIfItsNodeClosesBeforeTheStepBegins() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            if (entered.getCount() > 0) {
                entered.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException goesOn) {
                    effect("interrupted");
                }
            }
            return run.step(Step.of("wire").notRepeatable(), String.class, () -> effect("wired"));
        };
        RunNode closing = node(tale(code));
        RunHandle<String> handle = closing.runs.start(Tale.class, "");
        assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
        closing.engine.close();
        assertThat(effects).containsExactly("interrupted");

        RunNode next = node(tale(code));

        assertThat(next.runs.handle(handle.id(), Tale.class).await(SOON)).isEqualTo("wired");
    }

    @Test
    void aStepIsNotInDoubtIfItsIntentWasNotWritten() throws Exception {
        jdbc.sql("CREATE SEQUENCE hiccup").update();
        jdbc.sql("""
                CREATE FUNCTION hiccup() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN IF nextval('hiccup') = 1 THEN RAISE EXCEPTION 'hiccup'; END IF; RETURN NEW; END $$""").update();
        jdbc.sql("CREATE TRIGGER hiccup BEFORE INSERT ON saga_step FOR EACH ROW EXECUTE FUNCTION hiccup()")
                .update();
        try {
            RunNode node = node(tale(
                    (run, input) -> run.step(Step.of("wire").notRepeatable(), String.class, () -> effect("wired"))));
            RunHandle<String> handle = node.runs.start(Tale.class, "");
            Passing.pauseOf(handle.id(), jdbc);

            assertThat(handle.await(SOON)).isEqualTo("wired");
        } finally {
            jdbc.sql("DROP TRIGGER hiccup ON saga_step").update();
            jdbc.sql("DROP FUNCTION hiccup").update();
            jdbc.sql("DROP SEQUENCE hiccup").update();
        }
    }

    @Test
    void aStepIsNotInDoubtIfTheDeadlinePassesBeforeTheStepBegins() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        RunNode node = node(tale((run, input) -> {
            run.step("slow", () -> late.await());
            return run.step(Step.of("wire").notRepeatable(), String.class, () -> effect("wired"));
        }));
        RunHandle<String> handle = node.runs.start(Tale.class, "", RunOptions.within(Duration.ofMillis(10)));
        await().atMost(SOON)
                .until(() -> jdbc.sql("SELECT deadline_at < clock_timestamp() FROM saga_run")
                        .query(Boolean.class)
                        .single());
        late.countDown();
        awaitState(node, handle.id(), RunState.FAILED);

        node.runs.retry(handle.id());

        assertThat(handle.await(SOON)).isEqualTo("wired");
    }

    /** Starts a run whose node dies in a step that must not be repeated. */
    private RunId diedIn(Tale.Code code, CountDownLatch begun) throws InterruptedException {
        RunNode dead = node(tale(code));
        RunId id = dead.runs.start(Tale.class, "").id();
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        dead.engine.stop();
        endLease(id);
        return id;
    }

    private static Tale.Code wiring(CountDownLatch begun, Step.Resolver resolver) {
        return (run, input) -> run.step(Step.of("wire").notRepeatable(resolver), String.class, () -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return "never";
        });
    }

    @Test
    void aRunIsNotInDoubtIfANodeClosesWhileTheResolverRuns() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch resolving = new CountDownLatch(1);
        Tale.Code code = wiring(begun, key -> {
            if (resolving.getCount() > 0) {
                resolving.countDown();
                new CountDownLatch(1).await();
            }
            return Optional.of("found");
        });
        RunId id = diedIn(code, begun);
        RunNode closing = node(tale(code));
        assertThat(resolving.await(20, TimeUnit.SECONDS)).isTrue();
        closing.engine.close();

        RunNode next = node(tale(code));

        assertThat(next.runs.handle(id, Tale.class).await(SOON)).isEqualTo("found");
        assertThat(closing.events).doesNotContain(RunEvent.IN_DOUBT);
    }

    @Test
    @ExpectsErrors("is in doubt")
    void aRunInDoubtCanBeCancelledAlthoughItsResolverFails() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Tale.Code code = wiring(begun, key -> {
            throw new IllegalStateException("the bank does not answer");
        });
        RunId id = diedIn(code, begun);
        RunNode node = node(tale(code));
        awaitState(node, id, RunState.IN_DOUBT);

        assertThat(node.runs.cancel(id, "never mind")).isTrue();

        awaitState(node, id, RunState.CANCELLED);
    }

    @Test
    @ExpectsErrors("is in doubt")
    void aRunIsInDoubtIfItsNodeDiesInAStepThatMustNotBeRepeated() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        Tale.Code code = (run, input) -> {
            String done = run.step(Step.of("wire").notRepeatable(), String.class, () -> {
                if (begun.incrementAndGet() == 1) {
                    hangs.await();
                }
                return effect("wired");
            });
            return done;
        };
        RunNode dead = node(tale(code));
        RunId id = dead.runs.start(Tale.class, "").id();
        await().atMost(SOON).until(() -> begun.get() == 1);
        dead.engine.stop();
        RunNode next = node(tale(code));

        endLease(id);
        awaitState(next, id, RunState.IN_DOUBT);
        assertThat(effects).isEmpty();
        assertThat(next.store.troubled()).containsEntry(RunState.IN_DOUBT, 1L);
        assertThat(next.runs.resolveAsDone(id, "another", "x")).isFalse();
        assertThat(next.runs.resolveAsNotDone(id, "wire")).isTrue();

        assertThat(next.runs.handle(id, Tale.class).await(SOON)).isEqualTo("wired");
        assertThat(begun).hasValue(2);
        hangs.countDown();
    }
}
