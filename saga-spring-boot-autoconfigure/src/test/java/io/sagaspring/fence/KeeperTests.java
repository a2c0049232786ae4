package io.sagaspring.fence;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Time is moved by hand: what lives is renewed, and what is not is told to stop before its time is over. */
class KeeperTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Duration WINDOW = Duration.ofSeconds(90);
    private static final Duration BEAT = Duration.ofSeconds(30);
    private static final Duration MAXIMUM = Duration.ofMinutes(30);

    private final AtomicReference<Duration> time = new AtomicReference<>(Duration.ofDays(1));
    private final Connections connections = new Connections();
    private final Rows rows = new Rows();
    private final Keeper keeper = new Keeper(connections, BEAT, time::get);

    @AfterEach
    void close() {
        keeper.close();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    /** Can be out of reach. */
    private static final class Connections extends AbstractDataSource {

        volatile boolean broken;
        final AtomicInteger given = new AtomicInteger();

        @Override
        public Connection getConnection() throws SQLException {
            if (broken) {
                throw new SQLException("Connection refused", "08001");
            }
            given.incrementAndGet();
            return database.dataSource().getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    /** The rows that this node still has. */
    private static class Rows implements KeptTable {

        final Set<FencingToken> mine = new HashSet<>();
        final Set<FencingToken> locked = new HashSet<>();
        boolean broken;
        int breaks;

        @Override
        public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) throws SQLException {
            if (broken || breaks-- > 0) {
                throw new SQLException("cut off", "08006");
            }
            return tokens(held).stream()
                    .filter(token -> mine.contains(token) && !locked.contains(token))
                    .collect(Collectors.toSet());
        }

        @Override
        public Set<FencingToken> stillHeld(Connection connection, Collection<HeldLease> held) {
            return tokens(held).stream().filter(mine::contains).collect(Collectors.toSet());
        }

        private static Set<FencingToken> tokens(Collection<HeldLease> held) {
            return held.stream().map(HeldLease::token).collect(Collectors.toSet());
        }
    }

    private Hold keep(long token) {
        rows.mine.add(new FencingToken(token));
        return keeper.keep(rows, new HeldLease("parcel", "7", new FencingToken(token)), WINDOW, MAXIMUM, time.get());
    }

    private void pass(Duration duration) {
        time.updateAndGet(now -> now.plus(duration));
    }

    @Test
    void aRenewedHoldIsNotStopped() {
        Hold hold = keep(1);
        for (int beats = 0; beats < 20; beats++) {
            pass(BEAT);
            keeper.beat();
        }

        assertThat(hold.stop()).isNull();
        assertThat(hold.age()).isEqualTo(BEAT.multipliedBy(20));
        assertThat(connections.given).as("connections").hasValue(1);
    }

    @Test
    void aDatabaseOutOfReachStopsTheWorkBeforeItsTimeIsOver() {
        Hold hold = keep(1);
        keeper.beat();
        rows.broken = true;
        connections.broken = true;

        pass(BEAT);
        keeper.beat();
        assertThat(hold.stop()).as("one beat later").isNull();
        assertThat(keeper.trouble()).isNotNull();
        pass(BEAT.plusMillis(10));
        keeper.beat();

        assertThat(hold.stop()).isEqualTo(Hold.Stop.UNREACHABLE);
        assertThat(hold.age()).as("when it was told").isLessThan(WINDOW);
    }

    /** Once it is told, the next beat would be too late. */
    @Test
    void aConnectionThatBrokeSinceTheLastBeatIsReplacedWithinTheNext() {
        Hold hold = keep(1);
        keeper.beat();
        rows.breaks = 1;
        for (int beats = 0; beats < 2; beats++) {
            pass(BEAT);
            keeper.beat();
        }
        pass(BEAT);
        keeper.watch();

        assertThat(hold.stop()).isNull();
        assertThat(keeper.trouble()).isNull();
        assertThat(connections.given).as("connections").hasValue(2);
    }

    @Test
    void aDatabaseThatComesBackInTimeStopsNothing() {
        Hold hold = keep(1);
        connections.broken = true;
        pass(BEAT);
        keeper.beat();
        connections.broken = false;
        pass(BEAT);
        keeper.beat();
        pass(BEAT);
        keeper.beat();

        assertThat(hold.stop()).isNull();
        assertThat(keeper.trouble()).isNull();
    }

    /** The keeper's own thread hangs where no time limit of its own applies. */
    @Test
    void aBeatThatHangsInItsConnectionDoesNotKeepTheWorkFromBeingTold() throws Exception {
        CountDownLatch accepted = new CountDownLatch(1);
        Keeper hanging = new Keeper(
                new AbstractDataSource() {
                    @Override
                    public Connection getConnection() throws SQLException {
                        try {
                            accepted.await();
                        } catch (InterruptedException closed) {
                            throw new SQLException(closed);
                        }
                        throw new SQLException("Connection refused", "08001");
                    }

                    @Override
                    public Connection getConnection(String user, String password) throws SQLException {
                        return getConnection();
                    }
                },
                Duration.ofMillis(100),
                ElapsedClock.OF_THIS_MACHINE);
        Hold hold = hanging.keep(
                rows,
                new HeldLease("parcel", "7", new FencingToken(1)),
                Duration.ofMillis(300),
                Duration.ofMinutes(1),
                hanging.now());
        hanging.start();
        try {
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> hold.during(() -> accepted.await(20, SECONDS)));
            assertThat(hold.stop()).isEqualTo(Hold.Stop.UNREACHABLE);
        } finally {
            accepted.countDown();
            hanging.close();
        }
    }

    @Test
    void aBeatThatHangsIsCut() throws Exception {
        Keeper hanging = new Keeper(connections, Duration.ofMillis(200), time::get);
        Rows slow = new Rows() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) throws SQLException {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SELECT pg_sleep(60)");
                }
                return Set.of();
            }
        };
        Hold hold = hanging.keep(slow, new HeldLease("parcel", "7", new FencingToken(1)), WINDOW, MAXIMUM, time.get());

        OwnThread.run(hanging::beat).get(30, SECONDS);

        assertThat(hanging.trouble()).isInstanceOf(SQLException.class);
        assertThat(hold.stop()).isNull();
        hanging.close();
    }

    @Test
    void aHoldThatLastsTooLongIsStoppedAndNoLongerRenewed() {
        Hold hold = keep(1);
        while (hold.age().compareTo(MAXIMUM) < 0) {
            pass(BEAT);
            keeper.beat();
        }
        assertThat(hold.stop()).isNull();
        pass(Duration.ofMillis(1));
        keeper.beat();
        assertThat(hold.stop()).isEqualTo(Hold.Stop.TOO_LONG);

        rows.broken = true;
        keeper.beat();
        assertThat(keeper.trouble()).as("nothing is left to renew").isNull();
    }

    @Test
    void workIsInterruptedWhenItsHoldIsTakenOver() throws Exception {
        Hold hold = keep(1);
        CountDownLatch working = new CountDownLatch(1);
        AtomicBoolean leaked = new AtomicBoolean();
        CompletableFuture<Void> worker = OwnThread.run(() -> {
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> hold.during(() -> {
                        working.countDown();
                        return new CountDownLatch(1).await(20, SECONDS);
                    }));
            leaked.set(Thread.currentThread().isInterrupted());
        });
        working.await();

        rows.mine.clear();
        keeper.beat();

        worker.get(30, SECONDS);
        assertThat(hold.stop()).isEqualTo(Hold.Stop.TAKEN);
        assertThat(leaked).isFalse();
    }

    @Test
    void aRowRemovedByItsOwnerDoesNotCountAsTakenOver() throws Exception {
        Hold hold = keep(1);
        rows.locked.add(hold.held().token());
        hold.during(() -> {
            keeper.beat();
            return true;
        });
        rows.mine.clear();
        keeper.beat();

        assertThat(hold.stop()).isNull();
    }

    @Test
    void anInterruptThatTheWorkHasPutBackEndsWithIt() throws Exception {
        Hold hold = keep(1);
        rows.mine.clear();

        hold.during(() -> {
            keeper.beat();
            assertThat(Thread.interrupted()).isTrue();
            Thread.currentThread().interrupt();
            return true;
        });

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aThreadIsNotInterruptedAfterItsWork() throws Exception {
        Hold hold = keep(1);
        hold.during(() -> true);

        hold.stop(Hold.Stop.UNREACHABLE);

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void workIsNotBegunWithoutItsHold() {
        Hold hold = keep(1);
        hold.stop(Hold.Stop.TAKEN);
        AtomicBoolean begun = new AtomicBoolean();

        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> hold.during(() -> begun.getAndSet(true)))
                .withMessage("parcel 7 (token 1) is no longer held: TAKEN");
        assertThat(begun).isFalse();
    }

    @Test
    void anInterruptOfSomebodyElseIsKept() throws Exception {
        Hold hold = keep(1);
        hold.during(() -> {
            Thread.currentThread().interrupt();
            return true;
        });

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aClosedHoldIsForgotten() {
        try (Hold hold = keep(1)) {
            assertThat(keeper.holds()).containsExactly(hold);
        }

        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void anErrorDoesNotEndTheBeats() {
        AtomicInteger beats = new AtomicInteger();
        Keeper failing = new Keeper(connections, Duration.ofMillis(20), time::get);
        Rows broken = new Rows() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) {
                beats.incrementAndGet();
                throw new NoClassDefFoundError("half deployed");
            }
        };
        Hold hold =
                failing.keep(broken, new HeldLease("parcel", "7", new FencingToken(1)), WINDOW, MAXIMUM, time.get());
        failing.start();

        await().until(() -> beats.get() > 2);
        assertThat(hold.stop()).isNull();
        failing.close();
    }

    @Test
    void anErrorInOneTableKeepsNoOtherFromBeingRenewed() {
        Rows broken = new Rows() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) {
                throw new NoClassDefFoundError("half deployed");
            }
        };
        List<Rows> tables = List.of(broken, new Rows(), new Rows(), new Rows());
        List<Hold> kept = new ArrayList<>();
        for (Rows each : tables) {
            FencingToken token = new FencingToken(kept.size() + 1);
            each.mine.add(token);
            kept.add(keeper.keep(each, new HeldLease("parcel", "7", token), WINDOW, MAXIMUM, time.get()));
        }

        for (int beats = 0; beats < 4; beats++) {
            pass(BEAT);
            keeper.beat();
            assertThat(keeper.trouble() instanceof NoClassDefFoundError).isEqualTo(beats < 3);
        }

        assertThat(kept).map(Hold::stop).containsExactly(Hold.Stop.UNREACHABLE, null, null, null);
    }

    @Test
    void startedAgainItBeatsNoMoreOftenThanBefore() {
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger beats = new AtomicInteger();
        CountDownLatch goOn = new CountDownLatch(1);
        Keeper twice = new Keeper(connections, Duration.ofMillis(20), () -> {
            looks.incrementAndGet();
            return time.get();
        });
        Rows slow = new Rows() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) throws SQLException {
                beats.incrementAndGet();
                try {
                    goOn.await();
                } catch (InterruptedException closed) {
                    throw new SQLException(closed);
                }
                return Set.of();
            }
        };
        twice.keep(slow, new HeldLease("parcel", "7", new FencingToken(1)), WINDOW, MAXIMUM, time.get());
        twice.start();
        twice.start();

        // A beat does not overlap with the next of its schedule, but with one of another schedule.
        await().until(() -> beats.get() > 0);
        int before = looks.get();
        await().until(() -> beats.get() > 1 || looks.get() > before + 40);
        assertThat(beats).hasValue(1);
        goOn.countDown();
        twice.close();
    }

    /** Where it lies is asked over a client of its own, with another idea of how long to wait. */
    @Test
    void aStoreThatHangsKeepsNobodyElseFromBeingRenewed() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        RenewableLeases hanging = new RenewableLeases() {
            @Override
            public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws InterruptedException {
                asked.incrementAndGet();
                goOn.await();
                return Set.of();
            }

            @Override
            public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
                return Set.of();
            }
        };
        Keeper beating = new Keeper(connections, Duration.ofMillis(20), ElapsedClock.OF_THIS_MACHINE);
        AtomicInteger renewals = new AtomicInteger();
        Rows counted = new Rows() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) {
                renewals.incrementAndGet();
                return Set.of(new FencingToken(1));
            }
        };
        Hold well = beating.keep(counted, new HeldLease("parcel", "7", new FencingToken(1)), WINDOW, MAXIMUM);
        beating.keep(hanging, new HeldLease("lease", "7", new FencingToken(1)), WINDOW, MAXIMUM);
        beating.start();
        try {
            await().until(() -> asked.get() > 0);
            int before = renewals.get();
            await().until(() -> renewals.get() > before + 3);
            assertThat(well.stop()).isNull();
            assertThat(asked).as("asked before it has answered").hasValue(1);
        } finally {
            goOn.countDown();
            beating.close();
        }
    }

    @Test
    void aBatchThatIsAnsweredCountsWhileTheNextOneHangs() {
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        RenewableLeases slow = new RenewableLeases() {
            @Override
            public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws InterruptedException {
                if (asked.incrementAndGet() > 1) {
                    goOn.await();
                }
                return Set.copyOf(held);
            }

            @Override
            public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
                return Set.copyOf(held);
            }
        };
        try (Keeper beating = new Keeper(connections, Duration.ofMillis(20), time::get)) {
            List<Hold> holds = IntStream.range(0, 300)
                    .mapToObj(each -> beating.keep(
                            slow, new HeldLease("lease", "lease-" + each, new FencingToken(each)), WINDOW, MAXIMUM))
                    .toList();
            time.set(time.get().plus(WINDOW.dividedBy(2)));
            beating.beat();
            await().until(() -> asked.get() > 1);
            time.set(time.get().plus(WINDOW.dividedBy(10).multipliedBy(6)));
            beating.watch();

            assertThat(holds).filteredOn(hold -> hold.stop() == null).hasSize(250);
        } finally {
            goOn.countDown();
            // Whose time was over has been interrupted, which is this thread.
            boolean unused = Thread.interrupted();
        }
    }

    @Test
    void theWaitForTheEndLastsUntilTheHoldIsClosed() throws Exception {
        Hold hold = keep(1);
        keeper.awaitEnd(rows, Duration.ofMillis(1));
        CompletableFuture<Void> waiting = OwnThread.run(() -> keeper.awaitEnd(rows, Duration.ofMinutes(1)));
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> waiting.get(100, MILLISECONDS));
        hold.close();

        waiting.get(20, SECONDS);
    }
}
