package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.quiet.ExpectsErrors;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** A reply is read back unchanged, and work whose reply cannot be stored is not repeated. */
class StoredRepliesTests extends KeysOnPostgres {

    @Test
    void repliesOfGenericTypesAreReadBack() {
        var type = new ParameterizedTypeReference<Map<String, List<Receipt>>>() {};

        var first = idempotency.execute(KEY, type, () -> Map.of("all", List.of(pay())));
        var second = idempotency.execute(KEY, type, () -> Map.of("all", List.of(pay())));

        assertThat(second).isEqualTo(first);
        assertThat(second.get("all")).singleElement().isInstanceOf(Receipt.class);
    }

    @Test
    void aNullResultIsReplayedAsNull() {
        KeyedWork<@Nullable Receipt, RuntimeException> work = () -> {
            pay();
            return null;
        };

        assertThat(idempotency.execute(KEY, (Type) Receipt.class, work)).isNull();
        assertThat(idempotency.execute(KEY, (Type) Receipt.class, work)).isNull();
        assertThat(done).hasValue(1);
    }

    @Test
    @ExpectsErrors("cannot be replayed")
    void workWhoseReplyCannotBeStoredReturnsTheReplyAndIsNotRepeated() {
        Receipt large = new Receipt("R".repeat(2_000), 1);
        KeyedWork<Receipt, RuntimeException> work = () -> {
            pay();
            return large;
        };

        assertThat(idempotency.execute(KEY, Receipt.class, work)).isEqualTo(large);
        assertThatExceptionOfType(ReplyNotKeptException.class)
                .isThrownBy(() -> idempotency.execute(KEY, Receipt.class, work))
                .withMessageContaining("1000 are allowed");
        assertThat(done).hasValue(1);
    }

    interface Vague {}

    record Certain(String text) implements Vague {}

    @Test
    @ExpectsErrors("cannot be replayed")
    void workWhoseReplyCannotBeReadBackReturnsTheReplyAndIsNotRepeated() {
        KeyedWork<Vague, RuntimeException> work = () -> {
            pay();
            return new Certain("paid");
        };

        assertThat(idempotency.execute(KEY, Vague.class, work)).isEqualTo(new Certain("paid"));
        assertThatExceptionOfType(ReplyNotKeptException.class)
                .isThrownBy(() -> idempotency.execute(KEY, Vague.class, work))
                .withMessageContaining(Vague.class.getName());
        assertThat(done).hasValue(1);
    }

    @Test
    void aReplyThatCouldNotBeReadBackRollsBackItsTransaction() {
        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> idempotency.inTransaction().execute(KEY, Vague.class, () -> new Certain("paid")));
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
    }

    /**
     * PostgreSQL cannot store NUL. If the library stored the reason for the missing reply unchanged, the completion
     * would fail. The key would then become free after its lease, although the work was executed.
     */
    @Test
    void workIsNotRepeatedWhenTheReasonForAMissingReplyContainsNul() {
        ((KeyCheck.New) keys.check(KEY)).claim().complete(StoredReply.notKept("a \0 in it"));

        assertThatExceptionOfType(ReplyNotKeptException.class).isThrownBy(() -> payOnce(KEY));
    }

    /** Otherwise a codec could read bytes that another codec has written, and might succeed. */
    @Test
    void aReplyInAnotherFormatIsNotRead() {
        payOnce(KEY);
        jdbc.sql("UPDATE saga_idempotency_key SET format = 'xml'").update();

        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> payOnce(KEY))
                .withMessageContaining("was written in the format 'xml'");
        assertThat(done).hasValue(1);
    }

    /**
     * The work is done, no matter how the codec fails. Callers must not have to wait until the maximum duration of the
     * work ends.
     */
    @ParameterizedTest
    @ValueSource(classes = {IllegalArgumentException.class, StackOverflowError.class})
    void aReplyThatCannotBeWrittenStillEndsTheClaim(Class<? extends Throwable> kind) {
        PayloadCodec broken = new PayloadCodec() {
            @Override
            public String format() {
                return "broken";
            }

            @Override
            public byte[] write(@Nullable Object value) {
                Throwable thrown = BeanUtils.instantiateClass(kind);
                if (thrown instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) thrown;
            }

            @Override
            public @Nullable Object read(byte[] bytes, Type type) {
                return null;
            }
        };
        Idempotency unable = new Idempotency(
                keys,
                new TransactionalKeys(store, connections, () -> new DataSourceTransactionManager(connections), () -> 2),
                broken);
        try {
            assertThat(unable.execute(KEY, Receipt.class, this::pay)).isEqualTo(new Receipt("R-1", 1200));
        } catch (Error passedOn) {
            assertThat(passedOn).isInstanceOf(kind);
        }

        assertThat(keeper.holds()).isEmpty();
        assertThatExceptionOfType(ReplyNotKeptException.class).isThrownBy(() -> payOnce(KEY));
        assertThat(done).hasValue(1);
    }
}
