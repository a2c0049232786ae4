package io.sagaspring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.run.RunCarrier;
import io.sagaspring.tenant.TenantContext;
import io.sagaspring.tenant.Tenants;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests in which context listeners are called, and which events reach them. */
class DeliveryContextTests extends ListenersOnPostgres {

    private static final class Companies implements TenantContext {

        static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

        @Override
        public @Nullable String current() {
            return CURRENT.get();
        }

        @Override
        public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
            String before = CURRENT.get();
            CURRENT.set(tenant);
            try {
                return work.call();
            } finally {
                CURRENT.set(before);
            }
        }

        @Override
        public Collection<String> all() {
            return List.of("acme", "umbrella");
        }
    }

    private static final class Word implements RunCarrier {

        static final ThreadLocal<@Nullable String> WORD = new ThreadLocal<>();

        @Override
        public void capture(Map<String, String> carried) {
            String word = WORD.get();
            if (word != null) {
                carried.put("word", word);
            }
        }

        @Override
        public void restore(Map<String, String> carried, String run, Runnable work) {
            WORD.set(carried.get("word"));
            try {
                work.run();
            } finally {
                WORD.remove();
            }
        }
    }

    private static final class Forgetful implements RunCarrier {

        @Override
        public void capture(Map<String, String> carried) {}

        @Override
        public void restore(Map<String, String> carried, String run, Runnable work) {}
    }

    @Test
    void aListenerWorksForTheTenantAndInTheContextOfThePublisher() throws Exception {
        Companies companies = new Companies();
        List<String> seen = new CopyOnWriteArrayList<>();
        ListenerNode node =
                node(ListenerNode.Settings.standard().of(Tenants.of(companies), List.of(new Word())), mailer);
        mailer.hook = (placed, delivery) -> seen.add(companies.current() + " " + Word.WORD.get());
        Word.WORD.set("hello");
        for (String tenant : new String[] {"acme", "umbrella", null}) {
            boolean unused = companies.call(tenant, () -> {
                node.engine.publish(new Placed("o1", 1));
                return true;
            });
        }
        Word.WORD.remove();
        int unused = node.sweep();

        assertThat(seen).containsExactlyInAnyOrder("acme hello", "umbrella hello", "null hello");
        assertThat(companies.current()).isNull();
    }

    /**
     * The keys of two tenants are different keys, so a parked delivery of one tenant does not hold up the other tenant.
     */
    @Test
    void deliveriesOfTwoTenantsDoNotWaitForEachOther() throws Exception {
        Companies companies = new Companies();
        ListenerNode node = node(ListenerNode.Settings.standard().of(Tenants.of(companies), List.of()), mailer);
        mailer.hook = (placed, delivery) -> {
            if ("acme".equals(companies.current())) {
                throw new IllegalStateException("down");
            }
        };
        for (String tenant : List.of("acme", "umbrella")) {
            boolean unused = companies.call(tenant, () -> {
                node.engine.publish(new Placed("o1", 1));
                return true;
            });
        }
        int unused = node.sweep();

        assertThat(mailer.received).hasSize(1);
        assertThat(node.deliveries().find(new DeliveryQuery("mailer", null, "acme", null, 10)))
                .hasSize(1);
    }

    /** The carrier has not called the listener, so the delivery must not be removed. */
    @Test
    void aDeliveryIsKeptIfACarrierDoesNotCallTheListener() {
        ListenerNode node =
                node(ListenerNode.Settings.standard().of(Tenants.none(), List.of(new Forgetful())), new Renamed());
        node.engine.publish(new Placed("o1", 1));
        int unused = node.sweep();

        assertThat(stored("renamed")).isEqualTo(1);
    }

    static class Base {
        public int number;
    }

    static class Derived extends Base {
        public int more;
    }

    static class OfBase {

        @DurableListener(id = "of-base")
        void base(Base base) {}
    }

    @Test
    void deliveriesOfAListenerThatNoLongerExistsAreShownAndNotLost() {
        node().engine.publish(new Placed("o1", 1));
        ListenerNode later = node(ListenerNode.Settings.standard(), new Renamed());

        assertThat(later.sweep()).isZero();
        assertThat(later.deliveries().backlog())
                .extracting(ListenerBacklog::listener, ListenerBacklog::known, ListenerBacklog::stored)
                .containsExactly(tuple("audit", false, 1), tuple("mailer", false, 1));
        DeliveryView left =
                later.deliveries().find(DeliveryQuery.of("mailer", 10)).get(0);
        assertThat(left.known()).isFalse();
        assertThat(later.deliveries().giveUp(left.id(), "the mailer is gone", "ada"))
                .isPresent();
        assertThat(node().sweep()).isEqualTo(1);
    }

    @Test
    void aNodeCanLeaveTheDeliveriesOfAListenerToOtherNodes() {
        ListenerNode node = node(
                ListenerNode.Settings.standard()
                        .with(Map.of("mailer", new ListenerSettings.Of(false, null, null, null, null))),
                mailer);
        node.engine.publish(new Placed("o1", 1));

        assertThat(node.sweep()).isEqualTo(1);
        assertThat(stored("mailer")).isEqualTo(1);
        assertThat(node().sweep()).isEqualTo(1);
    }

    /** Without the check, the listener would get an object of the superclass, without the fields of the subclass. */
    @Test
    void anEventThatWouldBeReadBackAsAnotherClassIsRefused() {
        ListenerNode node = node(ListenerNode.Settings.standard(), new OfBase());
        node.engine.publish(new Base());

        assertThatThrownBy(() -> node.engine.publish(new Derived()))
                .hasMessage(
                        "The event %s was not published, because the durable listener 'of-base' would get it as %s. Declare the class of the event as the listener's parameter, or record the class with @JsonTypeInfo."
                                .formatted(Derived.class.getName(), Base.class.getName()));
        assertThat(stored("of-base")).isEqualTo(1);
    }

    @Test
    void anEventWithoutAKeyIsStoredForNoListener() {
        ListenerNode node = node();

        assertThatThrownBy(() -> node.engine.publish(new Placed(" ", 1))).hasMessageContaining("'mailer'");
        assertThat(stored("audit")).isZero();
    }
}
