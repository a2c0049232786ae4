package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunId;
import io.sagaspring.schedule.ScheduleDecision.Previous;
import io.sagaspring.schedule.ScheduleDecision.Result;
import io.sagaspring.schedule.ScheduleDecision.Start;
import io.sagaspring.schedule.ScheduleRow.Change;
import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleState.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Counts the instants in random histories of a schedule. Each instant fires once, is skipped once, waits, or passes
 * during a pause. No instant is lost, and none is counted twice. Each firing names the one before it.
 */
class ScheduleDecisionModelTests {

    private static final Instant ZERO = Instant.parse("2026-05-01T00:00:00Z");
    private static final Duration RATE = Duration.ofSeconds(10);
    private static final int HISTORIES = 300;
    private static final int MOMENTS = 60;

    @ParameterizedTest
    @EnumSource
    void eachInstantFiresOrIsSkippedOnce(Overlap overlap) {
        for (Missed missed : Missed.values()) {
            for (int seed = 0; seed < HISTORIES; seed++) {
                new History(overlap, missed, new Random(seed)).run();
            }
        }
    }

    private static final class History {

        private final ScheduleTerms terms;
        private final Random random;
        private final List<Instant> fired = new ArrayList<>();
        private final Set<Instant> passedWhilePaused = new TreeSet<>();
        private ScheduleState state;
        private Instant now = ZERO;
        private long skipped;
        private boolean isOpen;
        private @Nullable Instant pausedAt;

        History(Overlap overlap, Missed missed, Random random) {
            this.terms = new ScheduleTerms(
                    "run", new ScheduleSpec.Rate(RATE), missed, Duration.ofMinutes(20), overlap, null);
            this.random = random;
            this.state = ScheduleState.beginningAt(ScheduleTimes.next(terms.spec(), ZERO));
        }

        void run() {
            for (int moment = 0; moment < MOMENTS; moment++) {
                now = now.plusMillis(random.nextInt(10) == 0 ? random.nextInt(3_600_000) : random.nextInt(15_000));
                if (isOpen && random.nextInt(3) == 0) {
                    isOpen = false;
                }
                if (random.nextInt(15) == 0) {
                    pauseOrResume();
                }
                decide();
                check();
            }
        }

        private void pauseOrResume() {
            if (state.pause() == null) {
                pausedAt = state.nextAt();
                state = state.paused(new Pause(now, "ada", "why"));
                return;
            }
            Instant due = Objects.requireNonNull(state.nextAt());
            Instant next = due.isAfter(now) ? due : Objects.requireNonNull(ScheduleTimes.next(terms.spec(), now));
            for (Instant each = Objects.requireNonNull(pausedAt);
                    each.isBefore(next);
                    each = Objects.requireNonNull(ScheduleTimes.next(terms.spec(), each))) {
                passedWhilePaused.add(each);
            }
            state = state.paused(null).nextAt(next);
        }

        private void decide() {
            Instant onTimeSince = random.nextBoolean() ? now.minusSeconds(2) : now.minusSeconds(60);
            ScheduleState before = state;
            Result result = ScheduleDecision.of(
                    new Locked(new ScheduleRow("tick", terms, state, 1, new Change(ZERO, "node")), null, now),
                    onTimeSince,
                    new Previous(isOpen, isOpen ? null : now));
            if (terms.overlap() != Overlap.ALLOW) {
                assertThat(result.starts()).hasSizeLessThanOrEqualTo(1);
                assertThat(isOpen && !result.starts().isEmpty()).isFalse();
            }
            for (Start each : result.starts()) {
                assertThat(each.at()).isBeforeOrEqualTo(now);
                assertThat(each.previous()).isEqualTo(fired.isEmpty() ? null : fired.get(fired.size() - 1));
                fired.add(each.at());
                isOpen = true;
            }
            skipped += result.missed() + result.overlapped();
            state = result.state().lastRun(RunId.next());
            assertThat(state.skips().count()).isEqualTo(skipped);
            if (before.lastAt() != null) {
                assertThat(state.lastAt()).isAfterOrEqualTo(before.lastAt());
            }
            // With Missed.ALL, many missed instants are decided in several parts.
            if (state.pause() == null && terms.missed() != Missed.ALL) {
                assertThat(state.nextAt()).isAfter(now);
            }
        }

        /** Checks that each instant before the next one has fired, was skipped, waits, or has passed during a pause. */
        private void check() {
            assertThat(fired).doesNotHaveDuplicates().isSorted();
            assertThat(passedWhilePaused).noneMatch(fired::contains);
            if (state.pause() != null) {
                return;
            }
            long all = Duration.between(ZERO, state.nextAt()).dividedBy(RATE) - 1;
            long waiting = state.queuedAt() == null ? 0 : 1;
            assertThat(fired.size() + skipped + waiting + passedWhilePaused.size())
                    .isEqualTo(all);
        }
    }
}
