package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sagaspring.run.Labels;
import io.sagaspring.run.Retry;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.VisibleRuns;
import io.sagaspring.tenant.Tenants;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.transaction.annotation.Transactional;

/** Tests that an invalid definition or key is rejected, and that all faults are reported together. */
class SagaFaultsTests {

    private static final String KEY = "a-key-that-is-long-enough-for-a-test";

    /** A store that fails at each call, because the check of a definition must not read any execution. */
    private static final RunStore UNUSED_STORE = (RunStore) Proxy.newProxyInstance(
            RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                throw new AssertionError("The store was called: " + method);
            });

    interface Opaque {}

    record Shelf(String shelf) {}

    private static final class Of<I> implements Saga<I> {

        private final Consumer<SagaDefinition<I>> definition;

        Of(Consumer<SagaDefinition<I>> definition) {
            this.definition = definition;
        }

        @Override
        public void define(SagaDefinition<I> saga) {
            definition.accept(saga);
        }
    }

    private static final class Texts implements Saga<String> {

        private final Consumer<SagaDefinition<String>> definition;

        Texts(Consumer<SagaDefinition<String>> definition) {
            this.definition = definition;
        }

        @Override
        public void define(SagaDefinition<String> saga) {
            definition.accept(saga);
        }
    }

    private static final class Unreadable implements Saga<Opaque> {
        @Override
        public void define(SagaDefinition<Opaque> saga) {
            saga.step("one", context -> null);
        }
    }

    private static final class Reserve implements SagaTask<String, Shelf> {
        @Override
        public Shelf call(StepContext<String> context) {
            return new Shelf("A7");
        }
    }

    private static final class Vague implements SagaTask<String, Opaque> {
        @Override
        public Opaque call(StepContext<String> context) {
            return new Opaque() {};
        }
    }

    record Card(String number, @JsonIgnore String code) {}

    /** Returns a list whose elements would lose a field. The class of the list itself is not a fault. */
    private static final class Losing implements SagaTask<String, List<Card>> {
        @Override
        public List<Card> call(StepContext<String> context) {
            return List.of();
        }
    }

    private static final class GivenACard implements Saga<Card> {
        @Override
        public void define(SagaDefinition<Card> saga) {
            saga.task("one", VagueOfACard.class);
        }
    }

    private static final class VagueOfACard implements SagaTask<Card, Opaque> {
        @Override
        public Opaque call(StepContext<Card> context) {
            return new Opaque() {};
        }
    }

    private static final class Transacted implements Saga<String> {
        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("charge", this::charge);
        }

        @Transactional
        String charge(StepContext<String> context) {
            return "charged";
        }
    }

    @Transactional
    private static final class TransactedAsAWhole implements Saga<String> {
        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("one", context -> null);
        }
    }

    /** The annotation would have no effect, because no proxy intercepts calls of a saga to its own methods. */
    @Test
    void aTransactionalMethodOrClassOfASagaIsRefused() {
        assertThat(faults(List.of(KEY), new Transacted(), new TransactedAsAWhole()))
                .satisfiesExactlyInAnyOrder(
                        fault -> assertThat(fault)
                                .contains("Its method 'charge' is @Transactional")
                                .contains("move the method to another bean"),
                        fault -> assertThat(fault).contains("Its class is @Transactional"));
    }

    private static List<String> faults(List<String> keys, Saga<?>... sagas) {
        InvalidSagasException refused = catchThrowableOfType(
                InvalidSagasException.class,
                () -> new SagaCode(new SagaCode.Parts(
                                List.of(sagas),
                                SagaFaultsTests::task,
                                keys,
                                new VisibleRuns(UNUSED_STORE, Tenants.none()),
                                List.of(),
                                List.of()))
                        .close());
        return refused == null ? List.of() : refused.faults();
    }

    private static Optional<SagaTask<?, ?>> task(Class<?> type) {
        return Stream.<SagaTask<?, ?>>of(new Reserve(), new Vague(), new VagueOfACard(), new Losing())
                .filter(type::isInstance)
                .findFirst();
    }

    static Stream<Arguments> invalidDefinitions() {
        return Stream.of(
                faulty("It has no steps. Add at least one.", saga -> {}),
                faulty("Two steps have the name 'one'", saga -> {
                    saga.step("one", context -> null);
                    saga.step("one", context -> null);
                }),
                faulty("must not contain ':'", saga -> saga.step("a:b", context -> null)),
                faulty("must not be blank", saga -> saga.step(" ", context -> null)),
                faulty("must have 1 to 100 characters", saga -> saga.step("x".repeat(101), context -> null)),
                faulty("has the name 'now'", saga -> saga.step("now", context -> null)),
                faulty("has the name 'end'", saga -> saga.waitForSignal("end")),
                faulty("has the name 'saga'", saga -> saga.step("saga", context -> null)),
                faulty("control characters or unpaired surrogates", saga -> saga.step("one\ud800", context -> null)),
                faulty("control characters or unpaired surrogates", saga -> saga.step("one\ntwo", context -> null)),
                faulty("but there is none, or more than one", saga -> saga.task("one", Missing.class)),
                faulty(
                        "A label cannot have the name 'a b'",
                        saga -> saga.label("a b", input -> input).step("one", context -> null)),
                faulty(
                        "It has two labels 'a'",
                        saga -> saga.label("a", input -> input)
                                .label("a", input -> input)
                                .step("one", context -> null)),
                faulty("It has 21 labels, but at most 20 are allowed", saga -> {
                    for (int each = 0; each <= Labels.MOST; each++) {
                        saga.label("a" + each, input -> input);
                    }
                    saga.step("one", context -> null);
                }),
                faulty("It has a timeout of -1 s, which is not positive", saga -> {
                    saga.timeout(Duration.ofSeconds(-1));
                    saga.step("one", context -> null);
                }),
                faulty(
                        "has a timeout of 0 s, which is not positive",
                        saga -> saga.step("one", context -> null).timeout(Duration.ZERO)),
                faulty(
                        "Step 'one' has a timeout of -1 s, which is not positive",
                        saga -> saga.waitForSignal("one").timeout(Duration.ofSeconds(-1))),
                faulty(
                        "Step 'one' allows 0 attempts",
                        saga -> saga.step("one", context -> null)
                                .retry(Retry.retry().max(0))),
                faulty(
                        "has a pause of -1 s, which is negative",
                        saga -> saga.step("one", context -> null)
                                .retry(Retry.retry().delay(Duration.ofSeconds(-1)))),
                faulty(
                        "Its default retry policy has a longest pause of -1 s, which is negative",
                        saga -> saga.defaults(Retry.retry().maxDelay(Duration.ofSeconds(-1)))
                                .step("one", context -> null)),
                faulty(
                        "has a compensation whose retry policy allows 0 attempts",
                        saga -> saga.step("one", context -> null)
                                .compensate(context -> {}, Retry.retry().max(0))),
                faulty(
                        "combines fireAndForget with compensate",
                        saga -> saga.step("one", context -> null)
                                .compensate(context -> {})
                                .fireAndForget()),
                faulty(
                        "combines fireAndForget with async",
                        saga -> saga.step("one", context -> null).async().fireAndForget()),
                faulty(
                        "under a blank key",
                        saga -> saga.step("one", context -> null).storeResultAs(" ")),
                faulty("Steps 'one' and 'two' both store a value under 'two'", saga -> {
                    saga.step("one", context -> null).storeResultAs("two");
                    saga.step("two", context -> null);
                }),
                faulty("Steps 'reserve' and 'shelf' both store a value under 'shelf'", saga -> {
                    saga.task("reserve", Reserve.class);
                    saga.step("shelf", context -> null);
                }),
                faulty(
                        "Step 'one' returns " + Opaque.class.getName() + ", which could not be read back",
                        saga -> saga.task("one", Vague.class)),
                faulty(
                        "[code] of %s would be lost".formatted(Card.class.getName()),
                        saga -> saga.task("one", Losing.class)),
                faulty("Its define method failed: java.lang.IllegalStateException: broken", saga -> {
                    throw new IllegalStateException("broken");
                }));
    }

    private abstract static class Missing implements SagaTask<String, Shelf> {}

    private static Arguments faulty(String sentence, Consumer<SagaDefinition<String>> definition) {
        return Arguments.of(sentence, definition);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("invalidDefinitions")
    void anInvalidDefinitionIsReportedWithItsSaga(String sentence, Consumer<SagaDefinition<String>> definition) {
        assertThat(faults(List.of(KEY), new Texts(definition)))
                .filteredOn(fault -> fault.contains(sentence))
                .singleElement()
                .asString()
                .startsWith("Saga 'texts' (%s): ".formatted(Texts.class.getName()));
    }

    @Test
    void aSagaWithAnUnknownOrUnreadableInputTypeIsRefused() {
        assertThat(faults(List.of(KEY), new Of<String>(saga -> saga.step("one", context -> null))))
                .singleElement()
                .asString()
                .contains("The type of its input is unknown");
        assertThat(faults(List.of(KEY), new Unreadable()))
                .singleElement()
                .asString()
                .contains("Its input is " + Opaque.class.getName() + ", which could not be read back");
    }

    @Test
    void unreadableInputsAndResultsAreReportedTogether() {
        assertThat(faults(List.of(KEY), new GivenACard(), new Unreadable()))
                .satisfiesExactly(
                        fault -> assertThat(fault)
                                .startsWith("Saga 'givenACard' (%s): Its input is %s, which could not be read back."
                                        .formatted(GivenACard.class.getName(), Card.class.getName()))
                                .contains("[code]"),
                        fault -> assertThat(fault).contains("Step 'one' returns " + Opaque.class.getName()),
                        fault -> assertThat(fault).contains("Its input is " + Opaque.class.getName()));
    }

    @Test
    void aShortCallbackKeyIsRefusedAndNotPrinted() {
        assertThat(faults(List.of(KEY, "short"), new Texts(saga -> saga.step("one", context -> null))))
                .containsExactly(
                        "saga.sagas.callback-keys[1] has 5 characters, but needs at least 32. Use 32 or more random characters, such as the output of 'openssl rand -base64 32'.");
    }

    @Test
    void anUnresolvedPlaceholderIsRefusedAsACallbackKey() {
        assertThat(faults(
                        List.of(
                                "${UNSET_VARIABLE_WITH_A_LONG_NAME_INDEED}",
                                KEY,
                                "${SHORT}",
                                "secret-${IN_ITS_MIDDLE}-secret"),
                        new Texts(saga -> saga.step("one", context -> null))))
                .containsExactly(
                        "saga.sagas.callback-keys[0] contains the placeholder ${UNSET_VARIABLE_WITH_A_LONG_NAME_INDEED}, but neither an environment variable nor a property has this name. Set one of them to a secret of at least 32 random characters.",
                        "saga.sagas.callback-keys[2] contains the placeholder ${SHORT}, but neither an environment variable nor a property has this name. Set one of them to a secret of at least 32 random characters.",
                        "saga.sagas.callback-keys[3] contains the placeholder ${IN_ITS_MIDDLE}, but neither an environment variable nor a property has this name. Set one of them to a secret of at least 32 random characters.");
    }

    @Test
    void aCallbackKeyOfFewDifferentCharactersIsRefused() {
        assertThat(faults(List.of("ab".repeat(20), KEY), new Texts(saga -> saga.step("one", context -> null))))
                .containsExactly(
                        "saga.sagas.callback-keys[0] has only 2 different characters, but a secret needs at least 8. Use 32 or more random characters, such as the output of 'openssl rand -base64 32'.");
    }

    @Test
    void aTooLongCallbackKeyIsRefused() {
        assertThat(faults(List.of(KEY.repeat(300)), new Texts(saga -> saga.step("one", context -> null))))
                .containsExactly(
                        "saga.sagas.callback-keys[0] has 10800 characters, but at most 1024 are accepted. Use 32 to 1024 random characters, such as the output of 'openssl rand -base64 32'.");
    }

    @Test
    void aCallbackKeyIsRequiredOnlyForAsynchronousSteps() {
        assertThat(faults(List.of(), new Texts(saga -> saga.step("one", context -> null))))
                .isEmpty();
        assertThat(faults(
                        List.of(),
                        new Texts(saga -> saga.step("one", context -> null).async())))
                .singleElement()
                .asString()
                .contains("saga.sagas.callback-keys is empty");
    }

    @Test
    void twoSagasOfTheSameClassAreRefused() {
        assertThat(faults(
                        List.of(KEY),
                        new Texts(saga -> saga.step("one", context -> null)),
                        new Texts(saga -> saga.step("two", context -> null))))
                .containsExactly(
                        "Two sagas have the class %s, but a saga is started by its class. Use a separate class for each."
                                .formatted(Texts.class.getName()));
    }

    @Test
    void aKeyThatIsFreeAtTheEndNeedsAKey() {
        assertThat(faults(List.of(), new Texts(saga -> {
                    saga.whileOpen();
                    saga.step("one", context -> null);
                })))
                .containsExactly(
                        "Saga 'texts' (%s): It calls whileOpen(), which has no effect without an idempotency key. Call idempotencyKey(…), too."
                                .formatted(Texts.class.getName()));
    }

    @Test
    void allFaultsAreReportedTogether() {
        assertThat(faults(
                        List.of("short"),
                        new Texts(saga -> {
                            saga.step("a:b", context -> Map.of()).timeout(Duration.ZERO);
                            saga.step("a:b", context -> null)
                                    .retry(Retry.retry().max(0));
                        }),
                        new Unreadable()))
                .hasSize(7);
    }
}
