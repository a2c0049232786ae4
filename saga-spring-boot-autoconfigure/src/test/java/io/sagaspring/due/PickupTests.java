package io.sagaspring.due;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.RenewableLeases;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests that a pickup survives errors. The work consists of numbers, so the tests need no database. The errors are of
 * type OutOfMemoryError.
 */
class PickupTests {

    private static final int TOO_MUCH = 7;
    private static final Duration POLL = Duration.ofMillis(20);
    private static final RenewableLeases NOWHERE = new RenewableLeases() {
        @Override
        public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) {
            return Set.copyOf(held);
        }

        @Override
        public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
            return Set.copyOf(held);
        }
    };

    private final Keeper keeper =
            new Keeper(new DriverManagerDataSource(), Duration.ofMinutes(1), ElapsedClock.OF_THIS_MACHINE);
    private final Numbers numbers = new Numbers();
    private final Pickup<Integer> pickup = new Pickup<>(
            numbers,
            keeper,
            NOWHERE,
            Runnable::run,
            new Pickup.Settings(
                    "numbers", 2, POLL, Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMillis(100)));

    @AfterEach
    void close() {
        pickup.close();
        keeper.close();
    }

    /** A source that always has another due number. */
    private static final class Numbers implements Pickup.Source<Integer> {

        final AtomicInteger failures = new AtomicInteger();
        final AtomicInteger searches = new AtomicInteger();
        final AtomicInteger worked = new AtomicInteger();
        final AtomicInteger released = new AtomicInteger();

        @Override
        public Optional<Duration> untilDue(Duration within) {
            searches.incrementAndGet();
            if (failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("of a search");
            }
            return Optional.of(Duration.ZERO);
        }

        @Override
        public List<Integer> take(int slots) {
            return List.of(1);
        }

        @Override
        public HeldLease held(Integer work) {
            if (work == TOO_MUCH) {
                throw new OutOfMemoryError("of the lease");
            }
            return new HeldLease("number", "1", new FencingToken(1));
        }

        @Override
        public Runnable work(Integer work, Hold hold) {
            worked.incrementAndGet();
            return () -> {};
        }

        @Override
        public void release(Integer work, Duration pause) {
            released.incrementAndGet();
        }
    }

    private static final class NoMemoryToLog extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            throw new OutOfMemoryError("of the log");
        }
    }

    @Test
    void theLoopSurvivesAnErrorThatCannotBeLogged() {
        numbers.failures.set(3);
        NoMemoryToLog appender = new NoMemoryToLog();
        Logger logger = (Logger) LoggerFactory.getLogger(Pickup.class);
        appender.start();
        logger.addAppender(appender);
        try {
            pickup.start();
            await().until(() -> numbers.worked.get() > 0);
        } finally {
            logger.detachAppender(appender);
        }
        assertThat(numbers.searches.get()).isGreaterThan(3);
    }

    /** The work is stored, so any node can do it. The caller must not get an exception, as if there were no work. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void workWhoseLeaseCannotBeKeptIsReleasedAndItsSlotIsFree(boolean onCallersThread) {
        pickup.start();
        for (int each = 0; each < 5; each++) {
            await().until(() -> {
                Optional<ReservedSlot<Integer>> slot = pickup.reserve();
                slot.ifPresent(free -> {
                    if (onCallersThread) {
                        free.workHere(TOO_MUCH, hold -> fail("The lease is not kept"));
                    } else {
                        free.begin(TOO_MUCH);
                    }
                });
                return slot.isPresent();
            });
        }
        assertThat(numbers.released).hasValue(5);
        int before = numbers.worked.get();
        await().until(() -> numbers.worked.get() > before);
    }

    /** Work on the caller's thread frees its slot, whether the work or the action after the work fails. */
    @ParameterizedTest
    @EnumSource
    void aSlotOfACallerIsFreeAgainAfterAnError(Failing failing) {
        pickup.start();
        for (int each = 0; each < 5; each++) {
            await().until(() -> {
                Optional<ReservedSlot<Integer>> slot = pickup.reserve();
                slot.ifPresent(free -> assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> free.workHere(1, failing::work)));
                return slot.isPresent();
            });
        }
        int before = numbers.worked.get();
        await().until(() -> numbers.worked.get() > before);
    }

    private enum Failing {
        WORK,
        AFTERWARDS;

        Runnable work(Hold hold) {
            if (this == WORK) {
                throw new OutOfMemoryError("of the work");
            }
            return () -> {
                throw new OutOfMemoryError("of the action after the work");
            };
        }
    }
}
