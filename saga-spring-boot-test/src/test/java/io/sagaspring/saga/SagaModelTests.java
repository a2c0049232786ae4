package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/**
 * Tests that, for random scripts, the engine does what the {@link Model} predicts: the same calls, replies and
 * compensations in the same order, and the same view at the end. Use {@code -Dsaga.model.seed=…} to perform one script.
 */
class SagaModelTests {

    /** CI performs more scripts than a local build. */
    private static final int SCALE = Integer.getInteger("tests.scale", 1);

    private static final int IN_MEMORY = 500 * SCALE;
    private static final int ON_POSTGRES = 50 * SCALE;
    private static final int MOST_SHOWN = 3;

    /**
     * The log category of the engine, which is off during these tests. The nodes die hundreds of times, and the engine
     * logs each death.
     */
    private static final String ENGINE_LOG = "io.sagaspring.run";

    private final SteppedTimer timer = new SteppedTimer();
    private final ExecutorService otherThread = Executors.newSingleThreadExecutor();

    @BeforeAll
    static void silenceEngine() {
        LoggingSystem.get(SagaModelTests.class.getClassLoader()).setLogLevel(ENGINE_LOG, LogLevel.OFF);
    }

    @AfterAll
    static void restoreLogging() {
        LoggingSystem.get(SagaModelTests.class.getClassLoader()).setLogLevel(ENGINE_LOG, null);
    }

    @Test
    void sagasInMemoryDoWhatTheModelPredicts() {
        assertEngineMatchesModel(seeds(IN_MEMORY), Stage::inMemory);
    }

    @Test
    void sagasOnPostgresDoWhatTheModelPredicts() {
        try (TestDatabase database = TestDatabase.create();
                HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            pool.setMinimumIdle(0);
            SagaSchema schema = SagaSchema.migrate(pool, null);

            assertEngineMatchesModel(seeds(ON_POSTGRES), () -> Stage.onPostgres(schema, pool));
        }
    }

    private static LongStream seeds(int many) {
        Long one = Long.getLong("saga.model.seed");
        return one == null ? LongStream.rangeClosed(1, many) : LongStream.of(one);
    }

    private void assertEngineMatchesModel(LongStream seeds, Supplier<Stage> stages) {
        List<Long> differing = new ArrayList<>();
        List<String> shown = new ArrayList<>();
        try {
            seeds.forEach(seed -> {
                Script script = ScriptGenerator.script(seed);
                List<String> expected = Model.of(script);
                List<String> performed = performed(script, stages.get());
                if (!performed.equals(expected)) {
                    differing.add(seed);
                    shown.add(shown(script, expected, performed));
                }
            });
        } finally {
            timer.shutdownNow();
            otherThread.shutdownNow();
        }
        assertThat(differing)
                .as(() -> differing.size() + " scripts differ from the model\n"
                        + String.join("\n\n", shown.subList(0, Math.min(MOST_SHOWN, shown.size()))))
                .isEmpty();
    }

    private List<String> performed(Script script, Stage stage) {
        try (Performance performance = new Performance(script, stage, timer, otherThread)) {
            return performance.lines();
        }
    }

    private static String shown(Script script, List<String> expected, List<String> performed) {
        StringBuilder text = new StringBuilder(script.toString());
        text.append("\nmodel | engine, from where they differ:");
        boolean differs = false;
        for (int index = 0; index < Math.max(expected.size(), performed.size()); index++) {
            String model = index < expected.size() ? expected.get(index) : "-";
            String engine = index < performed.size() ? performed.get(index) : "-";
            differs |= !model.equals(engine);
            text.append(differs ? "\n  %s | %s".formatted(model, engine) : "\n  " + model);
        }
        return text.toString();
    }
}
