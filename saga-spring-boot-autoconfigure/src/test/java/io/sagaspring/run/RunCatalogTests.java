package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sagaspring.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.JsonNode;

class RunCatalogTests {

    private static final Tale tale = new Tale("tale", (run, input) -> input);

    @Test
    void aRunBehindAnInterfaceProxyIsFoundByItsClass() {
        DurableRun<?, ?> proxied = (DurableRun<?, ?>) new ProxyFactory(tale).getProxy();

        RunCatalog catalog = new RunCatalog(List.of(proxied));

        assertThat(catalog.of(Tale.class).input()).isEqualTo(String.class);
        assertThat(catalog.of(Tale.class).bean()).isSameAs(proxied);
    }

    static class Transacted implements DurableRun<String, String> {
        @Override
        @Transactional
        public String run(RunContext run, String input) {
            return input;
        }
    }

    @Transactional
    static class TransactedAsAWhole implements DurableRun<String, String> {
        @Override
        public String run(RunContext run, String input) {
            return input;
        }
    }

    /** A run with a second method that is transactional and that may start the run. */
    static class StartedInATransaction implements DurableRun<String, String> {
        @Override
        public String run(RunContext run, String input) {
            return input;
        }

        @Transactional
        public void order() {}
    }

    @Test
    void aTransactionAroundARunIsAFaultAtStartUp() {
        RunCatalog unused = new RunCatalog(List.of(new StartedInATransaction()));

        assertThatThrownBy(() -> new RunCatalog(List.of(new Transacted(), new TransactedAsAWhole())))
                .isInstanceOf(InvalidRunsException.class)
                .hasMessageContaining("The method 'run' of the run " + Transacted.class.getName())
                .hasMessageContaining("The class of the run " + TransactedAsAWhole.class.getName())
                .hasMessageContaining("RunContext.transactionalStep");
    }

    record Card(String number, @JsonIgnore String code) {}

    record Order(String id, List<Card> cards) {}

    interface Shape {}

    static class Losing implements DurableRun<Order, Map<String, Shape>> {
        @Override
        public Map<String, Shape> run(RunContext run, Order input) {
            return Map.of();
        }
    }

    static class LosingToo implements DurableRun<String, Optional<Card>> {
        @Override
        public Optional<Card> run(RunContext run, String input) {
            return Optional.empty();
        }
    }

    static class Whole implements DurableRun<Map<String, Object>, List<JsonNode>> {
        @Override
        public List<JsonNode> run(RunContext run, Map<String, Object> input) {
            return List.of();
        }
    }

    static class Nothing implements DurableRun<Void, Void> {
        @Override
        @SuppressWarnings("VoidUsed") // Null is the only possible value.
        public Void run(RunContext run, Void input) {
            return input;
        }
    }

    @Test
    void anUnreadableOrLossyTypeIsAFaultAtStartUp() {
        RunCatalog unused = new RunCatalog(List.of(new Whole(), new Nothing()));

        InvalidRunsException refused = catchThrowableOfType(
                InvalidRunsException.class, () -> new RunCatalog(List.of(new Losing(), new Whole(), new LosingToo())));

        assertThat(refused.faults())
                .satisfiesExactly(
                        fault -> assertThat(fault)
                                .startsWith(
                                        "The method 'run' of the run %s has an input of type %s, whose values could not be read back."
                                                .formatted(Losing.class.getName(), Order.class.getName()))
                                .contains("[code] of " + Card.class.getName()),
                        fault -> assertThat(fault)
                                .startsWith("The method 'run' of the run %s returns java.util.Map<"
                                        .formatted(Losing.class.getName()))
                                .contains("to which subclass of " + Shape.class.getName()),
                        fault -> assertThat(fault)
                                .startsWith("The method 'run' of the run %s returns java.util.Optional<"
                                        .formatted(LosingToo.class.getName()))
                                .contains("[code] of " + Card.class.getName()));
    }

    /** Only the application's codec knows which types it can read back. */
    @Test
    void theApplicationsCodecDecidesWhichTypesAreReadable() {
        PayloadCodec own = new PayloadCodec() {
            @Override
            public String format() {
                return "own";
            }

            @Override
            public byte[] write(@Nullable Object value) {
                return new byte[0];
            }

            @Override
            public @Nullable Object read(byte[] bytes, Type type) {
                return null;
            }
        };

        RunCatalog catalog = new RunCatalog(List.of(new Losing()), List.of(), own);

        assertThat(catalog.of(Losing.class).input()).isEqualTo(Order.class);
    }

    @Test
    void aClassWithTwoBeansIsAmbiguous() {
        RunCatalog catalog = new RunCatalog(List.of(tale, new Tale("another", (run, input) -> input)));

        assertThatThrownBy(() -> catalog.of(Tale.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than one");
    }
}
