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

/** Time is moved by hand: what lives is renewed, and what is not is told to stop before its time is over. */
class KeeperTests extends RenewedHolds {

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
}
