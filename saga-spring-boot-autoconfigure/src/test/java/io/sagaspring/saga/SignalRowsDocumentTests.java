package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that the schema page and the comment of the table name the kinds of rows that a saga writes to its inbox. */
class SignalRowsDocumentTests extends SagasOnPostgres {

    @Test
    void theSchemaPageNamesTheRowsThatASagaWritesToItsInbox() throws IOException {
        SagaNode node = node(saga -> {
            saga.step("ship", context -> {
                        context.correlate("parcel-9");
                        return null;
                    })
                    .async();
            saga.waitForSignal("approval");
        });
        RunId id = start(node);
        awaitState(node, id, RunState.WAITING);
        StepCallback callback = node.sagas.correlated("parcel-9");
        assertThat(callback.heartbeat().applied()).isTrue();
        assertThat(callback.complete("there").applied()).isTrue();
        awaitState(node, id, RunState.WAITING);
        assertThat(node.sagas.signal(id, "approval", "click-1", "yes")).isNotNull();
        awaitState(node, id, RunState.COMPLETED);

        assertThat(JdbcClient.create(connections)
                        .sql(
                                "SELECT concat_ws(' ', name, signal_key, nullif(format, 'json')) FROM saga_signal ORDER BY 1")
                        .query(String.class)
                        .list())
                .containsExactly(
                        "approval last",
                        "note:correlation:1:ship parcel-9 note",
                        "note:heartbeat:ship  note",
                        "note:key:approval click-1 note",
                        "ship:callback last");
        assertThat(Files.readString(Path.of("../docs/schema.md")))
                .contains(
                        "| last reply |",
                        "`note:correlation:`",
                        "`note:heartbeat:`",
                        "`note:key:`",
                        "`last`",
                        "`:callback`");
    }

    @Test
    void theTableCommentNamesTheDocumentedRowKinds() throws IOException {
        String comment = JdbcClient.create(connections)
                .sql("SELECT obj_description('saga_signal'::regclass)")
                .query(String.class)
                .single();

        List<String> documented = Files.readString(Path.of("../docs/schema.md"))
                .lines()
                .dropWhile(line -> !line.startsWith("| kind |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("\\|", -1)[1].strip())
                .toList();
        assertThat(documented).hasSize(6);
        assertThat(comment).endsWith(": " + String.join(", ", documented) + ".");
    }
}
