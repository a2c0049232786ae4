package io.sagaspring.test.listener;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.listener.Delivery;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryState;
import io.sagaspring.listener.DeliveryStore;
import io.sagaspring.listener.DeliveryStore.Ended;
import io.sagaspring.listener.DeliveryStore.PickedUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The part of the contract of a store of deliveries that is about lines and their order. */
abstract class DeliveryOrderContract extends DeliveryStoreFixture {

    @Test
    void onlyTheHeadOfALineIsPickedUp() {
        publish("a", 1);
        publish("b", 1);
        publish("c", 2);

        List<PickedUp> picked = pick(store(), 10);
        assertThat(picked.stream().map(DeliveryStoreFixture::text)).containsExactlyInAnyOrder("a", "c");
        assertThat(pick(another(), 10)).isEmpty();

        PickedUp head = picked.stream()
                .filter(each -> text(each).equals("a"))
                .findFirst()
                .orElseThrow();
        assertThat(store().done(head.delivery())).isEqualTo(Ended.OTHERS_FOLLOW);
        assertThat(text(pickOne())).isEqualTo("b");
    }

    @Test
    void aHeadThatWaitsForItsNextAttemptHoldsUpItsLineOnly() {
        publish("a", 1);
        assertThat(fail(pickOne().delivery(), HOUR, false)).isTrue();
        publish("b", 1);
        publish("c", 2);

        assertThat(texts(10)).containsExactly("c");
        pass(listener, HOUR);
        PickedUp again = pick(store(), 10).stream()
                .filter(each -> text(each).equals("a"))
                .findFirst()
                .orElseThrow();
        assertThat(again.delivery().attempt()).isEqualTo(2);
    }

    @Test
    void aParkedHeadHoldsUpItsLineOnlyUntilAPersonRetriesIt() {
        publish("a", 1);
        Delivery parked = pickOne().delivery();
        assertThat(fail(parked, Duration.ZERO, true)).isTrue();
        publish("b", 1);
        publish("c", 2);

        assertThat(texts(10)).containsExactly("c");
        assertThat(another().find(new DeliveryQuery(listener, null, null, DeliveryState.PARKED, 10)))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.id()).isEqualTo(parked.id());
                    assertThat(each.lastError()).contains("it failed");
                    assertThat(each.attempts()).isEqualTo(1);
                });
        pass(listener, HOUR);
        assertThat(texts(10)).containsExactly("c");

        assertThat(another().retry(parked.id())).isTrue();
        PickedUp again = pickOne();
        assertThat(text(again)).isEqualTo("a");
        assertThat(again.delivery().attempt()).isEqualTo(1);
    }

    @Test
    void afterAParkedHeadIsGivenUpTheNextOfItsLineFollows() {
        publish("a", 1);
        Delivery parked = pickOne().delivery();
        assertThat(fail(parked, Duration.ZERO, true)).isTrue();
        publish("b", 1);

        assertThat(another().giveUp(parked.id()))
                .hasValueSatisfying(each -> assertThat(each.listener()).isEqualTo(listener));
        assertThat(another().giveUp(parked.id())).isEmpty();
        assertThat(text(pickOne())).isEqualTo("b");
    }

    @Test
    void aThousandParkedLinesHideNoOther() {
        for (int line = 0; line < 1_000; line++) {
            publish("p" + line, line);
        }
        List<PickedUp> picked = pick(store(), 1_000);
        assertThat(picked).hasSize(1_000);
        picked.forEach(
                each -> assertThat(fail(each.delivery(), Duration.ZERO, true)).isTrue());
        publish("last", 10_000);
        publish("first", -10_000);

        assertThat(store().untilDue(listener, HOUR)).isPresent();
        assertThat(texts(10)).containsExactly("first", "last");
        assertThat(store().untilDue(listener, Duration.ofMinutes(1))).isEmpty();
    }

    @Test
    void theLinesTakeTurns() {
        for (int line = 0; line < 5; line++) {
            for (int each = 0; each < 3; each++) {
                publish(line + "-" + each, line);
            }
        }
        List<String> order = new ArrayList<>();
        for (int each = 0; each < 15; each++) {
            PickedUp picked = pick(store(), 1).get(0);
            order.add(text(picked));
            assertThat(store().done(picked.delivery())).isNotEqualTo(Ended.LOST);
        }

        for (int round = 0; round < 3; round++) {
            String suffix = "-" + round;
            assertThat(order.subList(round * 5, round * 5 + 5)).allMatch(each -> each.endsWith(suffix));
        }
    }

    /**
     * Eight nodes deliver at the same time. No two of them deliver events of the same line at the same time, and no
     * delivery overtakes an earlier one of its line.
     */
    @Test
    void manyNodesDeliverEachLineInItsOrder() throws Exception {
        int lines = 20;
        int ofEach = 10;
        for (int each = 0; each < ofEach; each++) {
            for (int line = 0; line < lines; line++) {
                publish(line + ":" + each, line);
            }
        }
        Map<String, List<Integer>> delivered = new ConcurrentHashMap<>();
        Map<String, Boolean> busy = new ConcurrentHashMap<>();
        List<String> clashes = Collections.synchronizedList(new ArrayList<>());
        CyclicBarrier start = new CyclicBarrier(NODES);
        ExecutorService threads = Executors.newFixedThreadPool(NODES);
        try {
            List<Future<?>> nodes = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                DeliveryStore by = node % 2 == 0 ? store() : another();
                nodes.add(threads.submit(() -> {
                    start.await(30, SECONDS);
                    while (by.untilDue(listener, LEASE).isPresent()) {
                        for (PickedUp picked : pick(by, 4)) {
                            String[] parts = text(picked).split(":", -1);
                            if (busy.put(parts[0], true) != null) {
                                clashes.add(text(picked));
                            }
                            delivered
                                    .computeIfAbsent(parts[0], line -> new ArrayList<>())
                                    .add(Integer.valueOf(parts[1]));
                            busy.remove(parts[0]);
                            assertThat(by.done(picked.delivery())).isNotEqualTo(Ended.LOST);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : nodes) {
                each.get(60, SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(clashes).isEmpty();
        assertThat(delivered).hasSize(lines);
        assertThat(delivered.values())
                .allSatisfy(each -> assertThat(each)
                        .isEqualTo(IntStream.range(0, ofEach).boxed().toList()));
    }
}
