package io.sagaspring.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * The keeper renews valid holds. If it cannot renew a hold, it stops the work before the lease ends. Each test sets the
 * time itself.
 */
class KeeperTests extends RenewedHolds {

    @Test
    void aRenewedHoldIsNotStopped() {
        Hold hold = keep(1);
        for (int heartbeats = 0; heartbeats < 20; heartbeats++) {
            pass(HEARTBEAT);
            keeper.beat();
        }

        assertThat(hold.stop()).isNull();
        assertThat(hold.age()).isEqualTo(HEARTBEAT.multipliedBy(20));
        assertThat(connections.opened).as("connections").hasValue(1);
    }

    @Test
    void workIsStoppedBeforeItsLeaseEndsIfTheDatabaseIsUnreachable() {
        Hold hold = keep(1);
        keeper.beat();
        rows.broken = true;
        connections.broken = true;

        pass(HEARTBEAT);
        keeper.beat();
        assertThat(hold.stop()).as("one heartbeat later").isNull();
        assertThat(keeper.trouble()).isNotNull();
        pass(HEARTBEAT.plusMillis(10));
        keeper.beat();

        assertThat(hold.stop()).isEqualTo(Hold.Stop.UNREACHABLE);
        assertThat(hold.age()).as("when it was stopped").isLessThan(TTL);
    }

    /** If the connection were replaced only in the following heartbeat, the work would already have been stopped. */
    @Test
    void aBrokenConnectionIsReplacedWithinTheNextHeartbeat() {
        Hold hold = keep(1);
        keeper.beat();
        rows.breaks = 1;
        for (int heartbeats = 0; heartbeats < 2; heartbeats++) {
            pass(HEARTBEAT);
            keeper.beat();
        }
        pass(HEARTBEAT);
        keeper.watch();

        assertThat(hold.stop()).isNull();
        assertThat(keeper.trouble()).isNull();
        assertThat(connections.opened).as("connections").hasValue(2);
    }

    @Test
    void workIsNotStoppedIfTheDatabaseRecoversInTime() {
        Hold hold = keep(1);
        connections.broken = true;
        pass(HEARTBEAT);
        keeper.beat();
        connections.broken = false;
        pass(HEARTBEAT);
        keeper.beat();
        pass(HEARTBEAT);
        keeper.beat();

        assertThat(hold.stop()).isNull();
        assertThat(keeper.trouble()).isNull();
    }

    @Test
    void startingTheKeeperTwiceAddsNoSecondHeartbeatSchedule() {
        AtomicInteger clockReads = new AtomicInteger();
        AtomicInteger heartbeats = new AtomicInteger();
        CountDownLatch goOn = new CountDownLatch(1);
        Keeper twice = new Keeper(connections, Duration.ofMillis(20), () -> {
            clockReads.incrementAndGet();
            return time.get();
        });
        Rows slow = new Rows() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) throws SQLException {
                heartbeats.incrementAndGet();
                try {
                    goOn.await();
                } catch (InterruptedException closed) {
                    throw new SQLException(closed);
                }
                return Set.of();
            }
        };
        twice.keep(slow, new HeldLease("parcel", "7", new FencingToken(1)), TTL, MAXIMUM, time.get());
        twice.start();
        twice.start();

        // Heartbeats of one schedule do not overlap. A heartbeat of a second schedule would overlap with the first.
        await().until(() -> heartbeats.get() > 0);
        int before = clockReads.get();
        await().until(() -> heartbeats.get() > 1 || clockReads.get() > before + 40);
        assertThat(heartbeats).hasValue(1);
        goOn.countDown();
        twice.close();
    }

    /** A run with short steps changes its row all the time, so that the row is locked at most moments. */
    @Test
    void aRowThatIsLockedAtMostMomentsIsRenewed() {
        Hold hold = keep(1);
        rows.locked.add(new FencingToken(1));
        rows.unlockedAfter = 15;

        pass(HEARTBEAT);
        keeper.beat();
        pass(TTL.minus(HEARTBEAT).minusSeconds(1));
        keeper.watch();

        assertThat(hold.stop()).isNull();
    }

    @Test
    void aRowThatStaysLockedDelaysAHeartbeatOnlyForAShortTime() {
        Hold locked = keep(1);
        rows.locked.add(new FencingToken(1));

        pass(HEARTBEAT);
        keeper.beat();
        pass(TTL.minus(HEARTBEAT).minusSeconds(1));
        keeper.watch();

        assertThat(rows.calls).isBetween(3, 100);
        assertThat(locked.stop()).isEqualTo(Hold.Stop.UNREACHABLE);
    }

    /** A row that was locked a moment ago is missing, because the work itself has just released it. */
    @Test
    void workThatEndsWhileItsRowIsTriedAgainIsNotStopped() {
        Rows ending = new Rows() {
            @Override
            public Set<FencingToken> stillHeld(Connection connection, Collection<HeldLease> held) {
                Set<FencingToken> found = super.stillHeld(connection, held);
                mine.clear();
                return found;
            }
        };
        FencingToken token = new FencingToken(1);
        ending.mine.add(token);
        ending.locked.add(token);
        Hold hold = keeper.keep(ending, new HeldLease("parcel", "7", token), TTL, MAXIMUM, time.get());

        keeper.beat();
        assertThat(hold.stop()).isNull();

        keeper.beat();
        assertThat(hold.stop()).isEqualTo(Hold.Stop.TAKEN);
    }
}
