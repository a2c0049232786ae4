package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.sagaspring.run.RunStore;
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

/** A definition that would not do what it says refuses the start, and all that is wrong is told at once. */
class SagaFaultsTests {

    private static final String KEY = "a-key-that-is-long-enough-for-a-test";

    /** Definitions are read before any execution is. */
    private static final RunStore UNPROTECTED = (RunStore) Proxy.newProxyInstance(
            RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                throw new AssertionError("The store was asked: " + method);
            });

    interface Untold {}

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

    private static final class Unreadable implements Saga<Untold> {
        @Override
        public void define(SagaDefinition<Untold> saga) {
            saga.step("one", context -> null);
        }
    }

    private static final class Reserve implements SagaTask<String, Shelf> {
        @Override
        public Shelf call(StepContext<String> context) {
            return new Shelf("A7");
        }
    }

    private static final class Vague implements SagaTask<String, Untold> {
        @Override
        public Untold call(StepContext<String> context) {
            return new Untold() {};
        }
    }

    record Card(String number, @JsonIgnore String code) {}

    /** The class of what it returns is no fault, and what it is a list of is one. */
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

    private static final class VagueOfACard implements SagaTask<Card, Untold> {
        @Override
        public Untold call(StepContext<Card> context) {
            return new Untold() {};
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

    /** It would be without a transaction: nothing comes between a saga and its own methods. */
    @Test
    void aTransactionOfASagasOwnMethodIsAFault() {
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
                                List.of(sagas), SagaFaultsTests::task, keys, UNPROTECTED, List.of(), List.of()))
                        .close());
        return refused == null ? List.of() : refused.faults();
    }

    private static Optional<SagaTask<?, ?>> task(Class<?> type) {
        return Stream.<SagaTask<?, ?>>of(new Reserve(), new Vague(), new VagueOfACard(), new Losing())
                .filter(type::isInstance)
                .findFirst();
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                told("It has no steps.", saga -> {}),
                told("Two steps have the name 'one'", saga -> {
                    saga.step("one", context -> null);
                    saga.step("one", context -> null);
                }),
                told("none of them ':'", saga -> saga.step("a:b", context -> null)),
                told("characters, not all blank", saga -> saga.step(" ", context -> null)),
                told("must have 1 to 100 characters", saga -> saga.step("x".repeat(101), context -> null)),
                told("has the name 'now'", saga -> saga.step("now", context -> null)),
                told("has the name 'end'", saga -> saga.waitForSignal("end")),
                told("has the name 'saga'", saga -> saga.step("saga", context -> null)),
                told("or a control character", saga -> saga.step("one\ud800", context -> null)),
                told("or a control character", saga -> saga.step("one\ntwo", context -> null)),
                told("but there is none, or more than one", saga -> saga.task("one", Missing.class)),
                told("It has a timeout of -1 s, which is not positive", saga -> {
                    saga.timeout(Duration.ofSeconds(-1));
                    saga.step("one", context -> null);
                }),
                told(
                        "has a timeout of 0 s, which is not positive",
                        saga -> saga.step("one", context -> null).timeout(Duration.ZERO)),
                told(
                        "Step 'one' has a timeout of -1 s, which is not positive",
                        saga -> saga.waitForSignal("one").timeout(Duration.ofSeconds(-1))),
                told(
                        "Step 'one' allows 0 attempts",
                        saga -> saga.step("one", context -> null)
                                .retry(Retry.retry().max(0))),
                told(
                        "pauses for -1 s, which is negative",
                        saga -> saga.step("one", context -> null)
                                .retry(Retry.retry().delay(Duration.ofSeconds(-1)))),
                told(
                        "Its default retry policy pauses for at most -1 s, which is negative",
                        saga -> saga.defaults(Retry.retry().maxDelay(Duration.ofSeconds(-1)))
                                .step("one", context -> null)),
                told(
                        "has a compensation that allows 0 attempts",
                        saga -> saga.step("one", context -> null)
                                .compensate(context -> {}, Retry.retry().max(0))),
                told(
                        "combines fireAndForget with compensate",
                        saga -> saga.step("one", context -> null)
                                .compensate(context -> {})
                                .fireAndForget()),
                told(
                        "combines fireAndForget with async",
                        saga -> saga.step("one", context -> null).async().fireAndForget()),
                told(
                        "under a blank key",
                        saga -> saga.step("one", context -> null).storeResultAs(" ")),
                told("Steps 'one' and 'two' both store 'two'", saga -> {
                    saga.step("one", context -> null).storeResultAs("two");
                    saga.step("two", context -> null);
                }),
                told("Steps 'reserve' and 'shelf' both store 'shelf'", saga -> {
                    saga.task("reserve", Reserve.class);
                    saga.step("shelf", context -> null);
                }),
                told(
                        "Step 'one' returns " + Untold.class.getName() + ", which could not be read back",
                        saga -> saga.task("one", Vague.class)),
                told(
                        "[code] of %s would be lost".formatted(Card.class.getName()),
                        saga -> saga.task("one", Losing.class)),
                told("It could not be defined: java.lang.IllegalStateException: broken", saga -> {
                    throw new IllegalStateException("broken");
                }));
    }

    private abstract static class Missing implements SagaTask<String, Shelf> {}

    private static Arguments told(String sentence, Consumer<SagaDefinition<String>> definition) {
        return Arguments.of(sentence, definition);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void refused(String sentence, Consumer<SagaDefinition<String>> definition) {
        assertThat(faults(List.of(KEY), new Texts(definition)))
                .filteredOn(fault -> fault.contains(sentence))
                .singleElement()
                .asString()
                .startsWith("Saga 'texts' (%s): ".formatted(Texts.class.getName()));
    }

    @Test
    void aSagaWithoutAReadableInputTypeIsRefused() {
        assertThat(faults(List.of(KEY), new Of<String>(saga -> saga.step("one", context -> null))))
                .singleElement()
                .asString()
                .contains("The type of its input is unknown");
        assertThat(faults(List.of(KEY), new Unreadable()))
                .singleElement()
                .asString()
                .contains("Its input is " + Untold.class.getName() + ", which could not be read back");
    }

    @Test
    void inputsAndResultsThatWouldNotComeBackWholeAreToldAtOnce() {
        assertThat(faults(List.of(KEY), new GivenACard(), new Unreadable()))
                .satisfiesExactly(
                        fault -> assertThat(fault)
                                .startsWith("Saga 'givenACard' (%s): Its input is %s, which could not be read back."
                                        .formatted(GivenACard.class.getName(), Card.class.getName()))
                                .contains("[code]"),
                        fault -> assertThat(fault).contains("Step 'one' returns " + Untold.class.getName()),
                        fault -> assertThat(fault).contains("Its input is " + Untold.class.getName()));
    }

    @Test
    void aKeyThatCouldBeGuessedIsRefusedAndNotSaid() {
        assertThat(faults(List.of(KEY, "short"), new Texts(saga -> saga.step("one", context -> null))))
                .containsExactly(
                        "saga.sagas.callback-keys[1] has 5 characters: at least 32 are needed. Use 32 or more random characters, such as the output of 'openssl rand -base64 32'.");
    }

    @Test
    void aPlaceholderThatIsNotResolvedIsNoKey() {
        assertThat(faults(
                        List.of(
                                "${UNSET_VARIABLE_WITH_A_LONG_NAME_INDEED}",
                                KEY,
                                "${SHORT}",
                                "secret-${IN_ITS_MIDDLE}-secret"),
                        new Texts(saga -> saga.step("one", context -> null))))
                .containsExactly(
                        "saga.sagas.callback-keys[0] holds the placeholder ${UNSET_VARIABLE_WITH_A_LONG_NAME_INDEED}, and neither an environment variable nor a property has this name. Set it to a secret of at least 32 random characters.",
                        "saga.sagas.callback-keys[2] holds the placeholder ${SHORT}, and neither an environment variable nor a property has this name. Set it to a secret of at least 32 random characters.",
                        "saga.sagas.callback-keys[3] holds the placeholder ${IN_ITS_MIDDLE}, and neither an environment variable nor a property has this name. Set it to a secret of at least 32 random characters.");
    }

    @Test
    void aKeyOfFewDifferentCharactersIsRefused() {
        assertThat(faults(List.of("ab".repeat(20), KEY), new Texts(saga -> saga.step("one", context -> null))))
                .containsExactly(
                        "saga.sagas.callback-keys[0] has 2 different characters: a secret needs at least 8. Use 32 or more random characters, such as the output of 'openssl rand -base64 32'.");
    }

    @Test
    void aKeyThatIsNoLineOfASecretsStoreIsRefused() {
        assertThat(faults(List.of(KEY.repeat(300)), new Texts(saga -> saga.step("one", context -> null))))
                .containsExactly(
                        "saga.sagas.callback-keys[0] has 10800 characters: at most 1024 are accepted. Use 32 to 1024 random characters, such as the output of 'openssl rand -base64 32'.");
    }

    @Test
    void aKeyIsNeededWhereSomebodyCallsBack() {
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
    void twoSagasOfOneClassAreRefused() {
        assertThat(faults(
                        List.of(KEY),
                        new Texts(saga -> saga.step("one", context -> null)),
                        new Texts(saga -> saga.step("two", context -> null))))
                .containsExactly(
                        "Two sagas have the class %s, but a saga is started by its class. Use one class for each."
                                .formatted(Texts.class.getName()));
    }

    @Test
    void allIsToldAtOnce() {
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
