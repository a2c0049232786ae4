package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.OwnThread;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the tokens that callbacks present, and what a callback reads. */
class CallbackTokenTests extends SagasOnPostgres {

    private final List<String> tokens = new CopyOnWriteArrayList<>();

    private void shipping(SagaDefinition<Order> saga) {
        saga.step("ship", context -> {
                    tokens.add(context.callbackToken());
                    return null;
                })
                .async();
    }

    @Test
    void aCallbackReadsOneRowAndNoJournal() throws Exception {
        Thread caller = Thread.currentThread();
        List<String> sent = new CopyOnWriteArrayList<>();
        Interference interference = new Interference();
        interference.with(new Around() {
            @Override
            public void before(String sql, Connection connection) {
                if (Thread.currentThread() == caller) {
                    sent.add(name(sql));
                }
            }
        });
        SagaNode node = added(new SagaNode(
                SagaSchema.migrate(connections, null),
                interference.watched(connections),
                "watched",
                new ScriptedOrder(this::shipping)));
        // Another thread starts the execution, so that only the callback's statements are seen.
        RunId id = OwnThread.call(() -> start(node)).get();
        awaitState(node, id, RunState.WAITING);
        sent.clear();

        CallbackResult result =
                node.sagas.callback(id.toString(), "ship", tokens.get(0)).complete("there");

        assertThat(result.applied()).isTrue();
        assertThat(sent).containsExactly("run.find", "run.lock-for-reply", "run.reply", "COMMIT");
    }

    private static String name(String sql) {
        Matcher comment = Pattern.compile("/\\* saga:(\\S+) \\*/").matcher(sql);
        return comment.find() ? comment.group(1) : sql;
    }

    @Test
    void aTokenOfAnEarlierVersionHasNoNumberAndIsStillAccepted() {
        SagaNode node = node(this::shipping);
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        String hash = tokens.get(0).substring("1.".length());

        assertThat(node.sagas
                        .callback(id.toString(), "ship", hash)
                        .complete("there")
                        .applied())
                .isTrue();

        awaitState(node, id, RunState.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"2.%s", "01.%s", "0.%s", "-1.%s", ".%s", "1.1.%s", "9999999999.%s", "1.%sA", "1.", "%s.", "1", ""
            })
    void anyOtherTokenIsUnknown(String template) {
        SagaNode node = node(this::shipping);
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        String forged = template.formatted(tokens.get(0).substring("1.".length()));

        assertThatExceptionOfType(NoSuchCallbackException.class)
                .isThrownBy(() -> node.sagas.callback(id.toString(), "ship", forged));
    }
}
