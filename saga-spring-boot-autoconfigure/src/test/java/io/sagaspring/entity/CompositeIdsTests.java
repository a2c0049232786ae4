package io.sagaspring.entity;

import static io.sagaspring.entity.KeyedShop.acting;
import static io.sagaspring.entity.KeyedShop.database;
import static io.sagaspring.entity.KeyedShop.following;
import static io.sagaspring.entity.KeyedShop.shop;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.definition.Requester;
import io.sagaspring.entity.keyed.Keyed;
import io.sagaspring.entity.keyed.Keyed.Change;
import io.sagaspring.entity.keyed.Keyed.Flags;
import io.sagaspring.entity.keyed.Keyed.Loose;
import io.sagaspring.entity.keyed.Keyed.Name;
import io.sagaspring.entity.keyed.Keyed.Padded;
import io.sagaspring.entity.keyed.Keyed.Pair;
import io.sagaspring.entity.keyed.Keyed.Words;
import io.sagaspring.entity.supported.State;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.EffectKeyReusedException;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionRequest;
import io.sagaspring.workflow.UnknownException;
import jakarta.persistence.OptimisticLockException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.hibernate.StaleObjectStateException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.orm.ObjectOptimisticLockingFailureException;

/** An id of several parts has one string form. A caller may pass this string or the id itself. */
class CompositeIdsTests {

    private static final TransitionOutcome CLOSED = new TransitionOutcome.Completed("CLOSED", null);
    private static final AtomicInteger numbers = new AtomicInteger();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void reset() {
        acting = (entity, context) -> ActionResult.success();
        following = (entity, context) -> {};
        shop.database()
                .sql(
                        "TRUNCATE saga_due, saga_claim, worded, padded_key, loose_key, changeable, flagged, paired, hashed")
                .update();
    }

    static Stream<Arguments> texts() {
        return Stream.of(
                arguments(new Keyed.Worded(new Words("a", "b")), new Words("a", "b"), "a,b"),
                arguments(new Keyed.Worded(new Words("a,b", "c")), new Words("a,b", "c"), "a~,b,c"),
                arguments(new Keyed.Worded(new Words("a", "b,c")), new Words("a", "b,c"), "a,b~,c"),
                arguments(new Keyed.Worded(new Words("~", ",")), new Words("~", ","), "~~,~,"),
                arguments(new Keyed.Worded(new Words("", "")), new Words("", ""), ","),
                arguments(new Keyed.Paired(new Pair("z", 7L)), new Pair("z", 7L), "7,z"),
                arguments(
                        new Keyed.Changeable(new Change(new Name("it's"), -1, State.CLOSED)),
                        new Change(new Name("it's"), -1, State.CLOSED),
                        "it's,-1,2"),
                arguments(
                        new Keyed.Flagged(new Flags(true, new UUID(1, 2))),
                        new Flags(true, new UUID(1, 2)),
                        "true,00000000-0000-0001-0000-000000000002"),
                arguments(new Keyed.Hashed(new byte[] {0, -1}), new byte[] {0, -1}, "00ff"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void theLedgerContainsTheTextThatACallerCanPass(Object entity, Object id, String text) {
        save(entity);
        EntityTable table = table(entity.getClass());

        Claim claim = claim(entity.getClass(), id);

        assertThat(claim.key()).isEqualTo(text);
        assertThat(claim).hasToString("%s %s in CLOSING (token %s)".formatted(table.name(), text, claim.token()));
        assertThat(table.text(id)).isEqualTo(text);
        assertThat(table.rowId(text)).isEqualTo(id);
        assertThat(table.rowIdOf(text)).isEqualTo(id);
        assertThat(shop.bean(ClaimRecovery.class).find(table.name(), text))
                .map(ClaimedRow::token)
                .contains(claim.token());
        assertThat(claims().release(claim)).isEqualTo(ClaimEnd.DONE);
        assertThat(run(entity.getClass(), text, Shop.ADMIN)).isEqualTo(CLOSED);
    }

    static Stream<Arguments> malformed() {
        Stream<Arguments> texts = Stream.of(
                        "",
                        "x",
                        "x,1",
                        "x,1,0,",
                        "x,,0",
                        "x,1,3",
                        "x,1,-1",
                        "x,01,0",
                        "x,+1,0",
                        "x,1.0,0",
                        "x,٣,0",
                        "x,1~,0",
                        "x~y,1,0",
                        ",1,0",
                        "x,99999999999,0")
                .map(text -> arguments(Keyed.Changeable.class, text));
        Stream<Arguments> others = Stream.of(
                arguments(Keyed.Hashed.class, "0"),
                arguments(Keyed.Hashed.class, "0g"),
                arguments(Keyed.Hashed.class, "FF"),
                arguments(Keyed.LooseKey.class, "xy,a"),
                arguments(Keyed.LooseKey.class, ",a"),
                arguments(Keyed.Flagged.class, "TRUE,00000000-0000-0001-0000-000000000002"),
                arguments(Keyed.Flagged.class, "true,0-0-1-0-2"),
                arguments(Keyed.Changeable.class, 7),
                arguments(Keyed.Changeable.class, new Words("x", "1")),
                arguments(Keyed.Changeable.class, new Change(null, 1, State.OPEN)),
                arguments(Keyed.Changeable.class, new Change(new Name("x"), null, State.OPEN)));
        return Stream.concat(texts, others);
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void aValueThatIsNotAnIdIsRefused(Class<?> entity, Object id) {
        assertThatExceptionOfType(NoSuchIdException.class).isThrownBy(() -> run(entity, id, Shop.ADMIN));
    }

    @Test
    void theRefusalOfAnIdNamesThePartsOfTheId() {
        assertThatExceptionOfType(NoSuchIdException.class)
                .isThrownBy(() -> run(Keyed.Changeable.class, "x", Shop.ADMIN))
                .withMessage(
                        "'x' is not an id of Changeable. Its ids have the parts name (String), number (Integer), state (State)."
                                + " Pass the id itself or its text. The text joins the parts with commas (in a part, write '~,' for a comma and '~~' for a tilde).");
    }

    @Test
    void aTextThatIsTooLongForANumberIsRefusedAtOnce() {
        assertThatExceptionOfType(NoSuchIdException.class)
                .isThrownBy(() -> table(Keyed.Paired.class).rowId("9".repeat(1_000_000) + ",z"))
                .withMessageStartingWith("'99999999999999999999…'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\0b", "\uD83D"})
    void aPartThatNoColumnCanHoldIsRefused(String part) {
        for (Object id : List.of(new Words("a", part), "a," + part)) {
            assertThatExceptionOfType(NoSuchIdException.class)
                    .isThrownBy(() -> run(Keyed.Worded.class, id, Shop.ADMIN))
                    .withMessageContaining("an unpaired surrogate");
        }
    }

    /** The database considers both spellings equal. The ledger contains the spelling that the database returns. */
    @Test
    void twoSpellingsOfAPartShareOneClaim() {
        save(new Keyed.PaddedKey(new Padded(1L, "a")));
        save(new Keyed.LooseKey(new Loose(' ', "Ab~")));

        sharesOneClaim(Keyed.PaddedKey.class, "1,a", "1,a     ", "1,a");
        sharesOneClaim(Keyed.LooseKey.class, " ,aB~~", " ,AB~~", ",Ab~~");
    }

    private static void sharesOneClaim(Class<?> entity, String one, String other, String key) {
        Claim claim = claim(entity, one);

        assertThat(claim.key()).isEqualTo(key);
        assertThat(claims().tryClaim(state(entity), other, "admin")).isInstanceOf(ClaimAttempt.Refused.class);
        shop.silence(Duration.ofMinutes(6));
        shop.sweep();
        assertThat(claims().release(claim)).isEqualTo(ClaimEnd.TAKEN);
        assertThat(run(entity, other, Shop.ADMIN)).isEqualTo(CLOSED);
        assertThat(shop.claims()).isZero();
    }

    /** JPA reports the id of the row, and the step compares this id with its own. */
    @ParameterizedTest
    @MethodSource("edited")
    void anEditOfTheEntityByAnotherTransactionIsAConflict(Object entity, Object id) {
        save(entity);
        acting = (acted, context) -> {
            edit(table(entity.getClass()).name());
            ((io.sagaspring.entity.supported.SupportedKeys.Keyed) acted).note("acted");
            return ActionResult.success();
        };

        assertThat(run(entity.getClass(), id, Shop.ADMIN)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(run(entity.getClass(), id, Shop.SYSTEM)).isEqualTo(new TransitionOutcome.Conflict());
    }

    static Stream<Arguments> edited() {
        return Stream.of(
                arguments(new Keyed.Paired(new Pair("z", 7L)), new Pair("z", 7L)),
                arguments(new Keyed.Worded(new Words("a", "b")), "a,b"),
                arguments(new Keyed.PaddedKey(new Padded(1L, "a")), new Padded(1L, "a")),
                arguments(new Keyed.LooseKey(new Loose('x', "a")), new Loose('x', "A")),
                arguments(
                        new Keyed.Changeable(new Change(new Name("a"), 1, State.OPEN)),
                        new Change(new Name("A"), 1, State.OPEN)),
                arguments(new Keyed.Hashed(new byte[] {1, 2}), new byte[] {1, 2}));
    }

    private static void edit(String table) {
        OwnThread.run(() -> shop.database()
                        .sql("UPDATE %s SET version = version + 1".formatted(table))
                        .update())
                .join();
    }

    /** The action changes the id object that the caller has passed. */
    @Test
    void aStepKeepsItsIdIfTheCallerChangesTheIdObject() {
        save(new Keyed.Changeable(new Change(new Name("a"), 1, State.OPEN)));
        Change id = new Change(new Name("a"), 1, State.OPEN);
        acting = (entity, context) -> {
            id.renumber(2);
            return ActionResult.failure("no");
        };

        assertThat(run(Keyed.Changeable.class, id, Shop.ADMIN)).isEqualTo(new TransitionOutcome.Failed("no"));

        assertThat(shop.claims()).isZero();
        EntityTable table = table(Keyed.Changeable.class);
        assertThat(table.read(table.rowId("a,1,0"))).contains(new EntityRow("OPEN", 2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin", "system"})
    void anAfterEffectFindsTheEntityAndItsKeyContainsTheTextOfTheId(String requester) throws Exception {
        save(new Keyed.Paired(new Pair("a~\n,", 7L)));
        CompletableFuture<String> followed = new CompletableFuture<>();
        following = (entity, context) -> {
            if (context.attempt() == 1) {
                throw new IllegalStateException("offline");
            }
            followed.complete(entity.getClass().getSimpleName() + " " + context.key());
        };

        assertThat(run(Keyed.Paired.class, new Pair("a~\n,", 7L), Requester.of(requester)))
                .isEqualTo(CLOSED);

        assertThat(followed.get(20, SECONDS)).startsWith("Paired paired:7,a~~\n~,:close:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin", "system"})
    void aCallWithAnEffectKeyRunsOnceForAnIdAndItsText(String requester) {
        save(new Keyed.Paired(new Pair(",", 7L)));
        save(new Keyed.Paired(new Pair(",", 8L)));
        AtomicInteger executions = new AtomicInteger();
        acting = (entity, context) -> {
            executions.incrementAndGet();
            return ActionResult.success();
        };
        String key = "key-" + numbers.incrementAndGet();

        for (Object id : List.of(new Pair(",", 7L), "7,~,", new Pair(",", 7L))) {
            assertThat(shop.workflows().run(request(id, requester).effectKey(key)))
                    .isEqualTo(CLOSED);
        }
        assertThat(executions).hasValue(1);
        assertThatExceptionOfType(EffectKeyReusedException.class)
                .isThrownBy(() -> shop.workflows()
                        .run(request(new Pair(",", 8L), requester).effectKey(key)))
                .withMessageContaining("on entity 8,~, for")
                .withMessageContaining("on entity 7,~, for");
    }

    private static TransitionRequest request(Object id, String requester) {
        return TransitionRequest.of("paired", id, "close", Requester.of(requester));
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin", "system"})
    void aCallWithAnEffectKeyRunsOnceInEitherSpelling(String requester) {
        save(new Keyed.PaddedKey(new Padded(1L, "a")));
        String key = "key-" + numbers.incrementAndGet();
        for (Object id : List.of(new Padded(1L, "a"), new Padded(1L, "a    "), "1,a", "1,a  ")) {
            assertThat(shop.workflows()
                            .run(TransitionRequest.of("paddedkey", id, "close", Requester.of(requester))
                                    .effectKey(key)))
                    .isEqualTo(CLOSED);
        }
    }

    @Test
    void idsOfBytesAreComparedByTheirContent() {
        EntityTable table = table(Keyed.Hashed.class);
        for (byte last : new byte[] {2, 3}) {
            assertThat(table.isEdited(
                            new byte[] {1, 2},
                            null,
                            new StaleObjectStateException(Keyed.Hashed.class.getName(), new byte[] {1, last})))
                    .isEqualTo(last == 2);
            assertThat(table.isEdited(
                            new byte[] {1, 2},
                            null,
                            new ObjectOptimisticLockingFailureException(Keyed.Hashed.class, new byte[] {1, last})))
                    .isEqualTo(last == 2);
            assertThat(table.isEdited(
                            new byte[] {1, 2},
                            null,
                            new OptimisticLockException("", null, new Keyed.Hashed(new byte[] {1, last}))))
                    .isEqualTo(last == 2);
        }
    }

    @Test
    void aCallWithAnEffectKeyRunsOnceForAnIdOfBytes() {
        save(new Keyed.Hashed(new byte[] {1}));
        String key = "key-" + numbers.incrementAndGet();
        for (Object id : List.of(new byte[] {1}, "01")) {
            assertThat(shop.workflows()
                            .run(TransitionRequest.of("hashed", id, "close", Shop.ADMIN)
                                    .effectKey(key)))
                    .isEqualTo(CLOSED);
        }
    }

    @Test
    void messagesNameTheEntityByTheTextOfItsId() {
        for (Requester requester : List.of(Shop.ADMIN, Shop.SYSTEM)) {
            assertThatExceptionOfType(UnknownException.Entity.class)
                    .isThrownBy(() -> run(Keyed.Paired.class, new Pair("none", 1L), requester))
                    .withMessage("There is no Paired 1,none.");
        }
        save(new Keyed.Paired(new Pair("z", 1L)));
        acting = (entity, context) -> {
            assertThat(context).hasToString("step 'close' of workflow 'paired' on entity 1,z for admin");
            return ActionResult.success();
        };
        assertThat(run(Keyed.Paired.class, new Pair("z", 1L), Shop.ADMIN)).isEqualTo(CLOSED);
    }

    private static void save(Object entity) {
        shop.inTransaction(entities -> {
            entities.persist(entity);
            return null;
        });
    }

    private static TransitionOutcome run(Class<?> entity, Object id, Requester requester) {
        return shop.workflows().run(KeyedShop.workflow(entity), id, "close", requester);
    }

    private static ClaimState state(Class<?> entity) {
        return shop.bean(DeclaredClaimStates.class).all().stream()
                .filter(state -> state.workflow().equals(KeyedShop.workflow(entity)))
                .findFirst()
                .orElseThrow();
    }

    private static EntityTable table(Class<?> entity) {
        return shop.bean(DeclaredClaimStates.class).tableOf(state(entity));
    }

    private static Claim claim(Class<?> entity, Object id) {
        ClaimAttempt attempt = claims().tryClaim(state(entity), id, "admin");
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    private static ClaimService claims() {
        return shop.bean(ClaimService.class);
    }
}
