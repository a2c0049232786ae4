package io.sagaspring.fence;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.sagaspring.shop.OwnThread;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** A heartbeat that hangs or fails delays no stop, and no other hold is lost because of it. */
class BrokenHeartbeatsTests extends RenewedHolds {

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
}
