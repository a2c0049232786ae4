package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a store while another caller always writes directly, so that the store batches every write that it can. */
class GatheredRunStoreTests extends AbstractPostgresRunStoreTests {

    private static final RunDatabase database = new RunDatabase();

    private final List<Gathering> opened = new ArrayList<>();
    private Gathering one;
    private Gathering another;

    GatheredRunStoreTests() {
        super(database);
    }

    @BeforeEach
    void gather() throws Exception {
        one = gathering(database.pool(), "one");
        another = gathering(database.pool(), "another");
    }

    @AfterEach
    void closeGatherings() {
        for (Gathering each : opened) {
            each.close();
        }
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    private Gathering gathering(DataSource connections, String node) throws Exception {
        Gathering gathering = new Gathering(database, connections, node);
        opened.add(gathering);
        return gathering;
    }

    @Override
    protected RunStore store() {
        return one.store();
    }

    @Override
    protected RunStore another() {
        return another.store();
    }

    @Override
    RunStore open(DataSource connections, String node) throws Exception {
        return gathering(connections, node).store();
    }

    @Override
    String statement(Call call) {
        return call == Call.START ? "saga:run.start-many */" : "saga:run.write-many */";
    }

    @Test
    void startsCheckpointsSuspensionsAndEndsAreBatched() {
        assertIsBatch("saga:run.start-many */", this::runLease);
        RunLease first = runLease();
        assertIsBatch("saga:run.write-many */", () -> Objects.requireNonNull(store().checkpoint(first, done(0, 1))));
        assertIsBatch("saga:run.write-many */", () -> store().suspend(first, done(1, 2), null, afterSignals(0)));
        RunLease second = runLease();
        assertIsBatch("saga:run.write-many */", () -> {
            store().end(second, List.of(), new Ending(RunState.FAILED, null, "an error", null));
            return second;
        });
        RunLease third = runLease();
        assertIsBatch(
                "saga:run.write-many */",
                () -> store().endUnlessChanged(
                                third, done(0, 1), new Ending(RunState.COMPLETED, null, null, null), afterSignals(0)));
    }

    private void assertIsBatch(String statement, Supplier<?> call) {
        int before = one.batches().size();
        assertThat(call.get()).isNotNull();
        assertThat(one.batches().subList(before, one.batches().size()))
                .singleElement()
                .asString()
                .contains(statement);
    }
}
