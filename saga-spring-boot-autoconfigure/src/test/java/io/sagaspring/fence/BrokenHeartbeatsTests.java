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

/** A heartbeat that hangs or fails delays no interrupt, and does not cause the loss of another hold. */
class BrokenHeartbeatsTests extends RenewedHolds {

    /** The keeper's thread hangs in a call that none of its time limits covers. */
    @Test
    void theWorkIsInterruptedIfAHeartbeatHangsWhileItOpensAConnection() throws Exception {
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
    void aHeartbeatThatHangsIsAborted() throws Exception {
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
        Hold hold = hanging.keep(slow, new HeldLease("parcel", "7", new FencingToken(1)), TTL, MAXIMUM, time.get());

        OwnThread.run(hanging::beat).get(30, SECONDS);

        assertThat(hanging.trouble()).isInstanceOf(SQLException.class);
        assertThat(hold.stop()).isNull();
        hanging.close();
    }

    @Test
    void anErrorDoesNotEndTheHeartbeats() {
        AtomicInteger heartbeats = new AtomicInteger();
        Keeper failing = new Keeper(connections, Duration.ofMillis(20), time::get);
        Rows broken = new Rows() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) {
                heartbeats.incrementAndGet();
                throw new NoClassDefFoundError("half deployed");
            }
        };
        Hold hold = failing.keep(broken, new HeldLease("parcel", "7", new FencingToken(1)), TTL, MAXIMUM, time.get());
        failing.start();

        await().until(() -> heartbeats.get() > 2);
        assertThat(hold.stop()).isNull();
        failing.close();
    }

    @Test
    void anErrorInOneTableDoesNotPreventRenewalsInOtherTables() {
        Rows broken = new Rows() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) {
                throw new NoClassDefFoundError("half deployed");
            }
        };
        List<Rows> tables = List.of(broken, new Rows(), new Rows(), new Rows());
        List<Hold> holds = new ArrayList<>();
        for (Rows each : tables) {
            FencingToken token = new FencingToken(holds.size() + 1);
            each.mine.add(token);
            holds.add(keeper.keep(each, new HeldLease("parcel", "7", token), TTL, MAXIMUM, time.get()));
        }

        for (int heartbeats = 0; heartbeats < 4; heartbeats++) {
            pass(HEARTBEAT);
            keeper.beat();
            assertThat(keeper.trouble() instanceof NoClassDefFoundError).isEqualTo(heartbeats < 3);
        }

        assertThat(holds).map(Hold::stop).containsExactly(Hold.Stop.UNREACHABLE, null, null, null);
    }

    /** A store may use its own client, whose time-out the keeper cannot set. */
    @Test
    void aHangingStoreDoesNotBlockTheRenewalOfOtherHolds() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        RenewableLeases hanging = new RenewableLeases() {
            @Override
            public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws InterruptedException {
                calls.incrementAndGet();
                goOn.await();
                return Set.of();
            }

            @Override
            public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
                return Set.of();
            }
        };
        Keeper fastKeeper = new Keeper(connections, Duration.ofMillis(20), ElapsedClock.OF_THIS_MACHINE);
        AtomicInteger renewals = new AtomicInteger();
        Rows counted = new Rows() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) {
                renewals.incrementAndGet();
                return Set.of(new FencingToken(1));
            }
        };
        Hold healthy = fastKeeper.keep(counted, new HeldLease("parcel", "7", new FencingToken(1)), TTL, MAXIMUM);
        fastKeeper.keep(hanging, new HeldLease("lease", "7", new FencingToken(1)), TTL, MAXIMUM);
        fastKeeper.start();
        try {
            await().until(() -> calls.get() > 0);
            int before = renewals.get();
            await().until(() -> renewals.get() > before + 3);
            assertThat(healthy.stop()).isNull();
            assertThat(calls).as("calls before the first answer").hasValue(1);
        } finally {
            goOn.countDown();
            fastKeeper.close();
        }
    }

    @Test
    void aRenewedBatchStaysValidWhileTheNextBatchHangs() {
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        RenewableLeases slow = new RenewableLeases() {
            @Override
            public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) throws InterruptedException {
                if (calls.incrementAndGet() > 1) {
                    goOn.await();
                }
                return Set.copyOf(held);
            }

            @Override
            public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
                return Set.copyOf(held);
            }
        };
        try (Keeper fastKeeper = new Keeper(connections, Duration.ofMillis(20), time::get)) {
            List<Hold> holds = IntStream.range(0, 300)
                    .mapToObj(each -> fastKeeper.keep(
                            slow, new HeldLease("lease", "lease-" + each, new FencingToken(each)), TTL, MAXIMUM))
                    .toList();
            time.set(time.get().plus(TTL.dividedBy(2)));
            fastKeeper.beat();
            await().until(() -> calls.get() > 1);
            time.set(time.get().plus(TTL.dividedBy(10).multipliedBy(6)));
            fastKeeper.watch();

            assertThat(holds).filteredOn(hold -> hold.stop() == null).hasSize(250);
        } finally {
            goOn.countDown();
            // Clears an interrupt that the expired holds may have left on this thread.
            boolean unused = Thread.interrupted();
        }
    }
}
