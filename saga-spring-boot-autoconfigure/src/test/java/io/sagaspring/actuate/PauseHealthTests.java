package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pause.Kind;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Health shows what is paused, and reports a janitor that is paused for longer than stuck-after. */
class PauseHealthTests {

    private static TestDatabase database;
    private static Shop shop;

    @BeforeAll
    static void open() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = Shop.open(database, "saga.janitor.stuck-after=5m");
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    private static Pause pause(Kind kind, String name, int minutes) {
        return new Pause(kind, name, Instant.EPOCH, Duration.ofMinutes(minutes), "'ada'", "a bug\nhere");
    }

    private static List<String> report(Map<String, Object> details, Pause... pauses) {
        List<String> problems = new ArrayList<>();
        new PauseHealth(
                        new Survey<>(() -> List.of(pauses), () -> Duration.ZERO),
                        () -> shop.bean(JanitorRegistry.class))
                .report(details, problems);
        return problems;
    }

    @Test
    void pausesAreShownAndAJanitorMayBePausedUntilStuckAfter() {
        Map<String, Object> details = new LinkedHashMap<>();

        List<String> problems = report(
                details, pause(Kind.JANITOR, "shop", 5), pause(Kind.RUN, "tale", 600), pause(Kind.JANITOR, "x", 9));

        assertThat(problems).isEmpty();
        assertThat(details)
                .containsEntry("pausedKinds", Map.of("tale", "for 10 h by 'ada': a bug\\nhere"))
                .hasEntrySatisfying(
                        "pausedJanitors",
                        found -> assertThat(found.toString()).contains("shop=for 5 min", "x=for 9 min"));
    }

    @Test
    void aJanitorThatIsPausedForLongerIsAProblem() {
        assertThat(report(new LinkedHashMap<>(), pause(Kind.JANITOR, "shop", 6)))
                .singleElement()
                .asString()
                .startsWith(
                        "The janitor of module 'shop' has been paused for 6 min by 'ada', longer than stuck-after (5 min).");
    }

    @Test
    void theApplicationHasThisPartOfHealth() {
        assertThat(shop.context().getBeansOfType(HealthPart.class).values())
                .hasAtLeastOneElementOfType(PauseHealth.class);
    }
}
