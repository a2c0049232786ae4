package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The page for operators says what is. */
class OperationsDocumentTests {

    private static final Path PAGE = Path.of("../docs/operations.md");
    private static final Pattern ROW =
            Pattern.compile("^\\| `(saga\\.[a-z.]+)` \\| ([a-z ]+) \\|([a-z` ]*)\\| .+ \\|$", Pattern.MULTILINE);

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    @Test
    void theTableOfMetersIsThatOfTheRegistry() throws IOException {
        Set<String> written = new TreeSet<>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            written.add("%s %s %s"
                    .formatted(
                            row.group(1),
                            row.group(2),
                            row.group(3).replace("`", "").strip()));
        }
        Set<String> registered = new TreeSet<>();
        try (Shop shop = Shop.open(database)) {
            MeterRegistry meters = shop.bean(MeterRegistry.class);
            shop.script().action = (entity, context) -> {
                collect(meters, registered);
                return ActionResult.success();
            };
            shop.send(shop.pack());
            collect(meters, registered);
        }

        assertThat(written).isEqualTo(registered);
    }

    @Test
    void theDiagramIsTheEndpoints() throws IOException {
        assertThat(Files.readString(PAGE)).contains("```mermaid\n" + StateDiagramTests.PARCEL + "```\n");
    }

    @Test
    void itFitsIntoAFewScreens() throws IOException {
        assertThat(Files.readAllLines(PAGE)).hasSizeLessThanOrEqualTo(135);
    }

    private static void collect(MeterRegistry meters, Set<String> found) {
        for (Meter meter : meters.getMeters()) {
            String name = meter.getId().getName();
            if (name.startsWith("saga.")) {
                found.add("%s %s %s"
                        .formatted(
                                name,
                                meter.getId()
                                        .getType()
                                        .name()
                                        .toLowerCase(Locale.ROOT)
                                        .replace('_', ' '),
                                meter.getId().getTags().stream()
                                        .map(Tag::getKey)
                                        .collect(Collectors.joining(" "))));
            }
        }
    }
}
