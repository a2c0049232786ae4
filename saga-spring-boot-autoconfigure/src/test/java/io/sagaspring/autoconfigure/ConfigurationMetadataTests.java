package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.MarkedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The metadata, which an IDE shows for {@code saga.}, describes every property and matches the documentation. */
class ConfigurationMetadataTests {

    private static final Path METADATA = Path.of("target/classes/META-INF/spring-configuration-metadata.json");
    private static final Path DOCUMENTS = Path.of("../docs");
    private static final Path TABLE = DOCUMENTS.resolve("configuration.md");
    private static final String HEAD = "| property | default | meaning |\n| --- | --- | --- |\n";

    record Property(String name, String type, String description, String defaultValue) {

        static Property of(JsonNode json) {
            return new Property(
                    json.path("name").asString(),
                    json.path("type").asString(),
                    json.path("description").asString(),
                    json.path("defaultValue").asString());
        }

        String row() {
            return "| `%s` | %s | %s |"
                    .formatted(name, defaultValue.isEmpty() ? "" : "`" + defaultValue + "`", description);
        }
    }

    static List<Property> properties() {
        JsonNode json = JsonMapper.shared().readTree(METADATA);
        return StreamSupport.stream(json.path("properties").spliterator(), false)
                .map(Property::of)
                .toList();
    }

    @Test
    void theMetadataContainsThePropertiesOfSaga() {
        assertThat(properties()).extracting(Property::name).contains("saga.enabled", "saga.schema.migrate");
    }

    @ParameterizedTest
    @MethodSource("properties")
    void everyPropertyIsDescribedInSentences(Property property) {
        assertThat(property.name()).matches("(saga|management\\.(endpoint|health)\\.saga[a-z]*)\\..+");
        assertThat(property.description()).matches("[A-Z].*\\.").doesNotContain("{@", "<", "Default");
        if (property.type().equals("java.lang.Boolean")) {
            assertThat(property.description()).startsWith("Whether ");
        }
    }

    @Test
    void eachHintBelongsToAProperty() {
        JsonNode hints = JsonMapper.shared().readTree(METADATA).path("hints");

        assertThat(hints)
                .isNotEmpty()
                .allSatisfy(hint -> assertThat(properties())
                        .extracting(Property::name)
                        .contains(hint.path("name").asString().replaceFirst("\\.(keys|values)$", "")));
    }

    @Test
    void everyPropertyThatIsAMapHasAGroup() {
        JsonNode groups = JsonMapper.shared().readTree(METADATA).path("groups");

        assertThat(groups)
                .filteredOn(group -> group.path("type").asString().startsWith("java.util.Map<"))
                .extracting(group -> group.path("name").asString())
                .containsExactlyInAnyOrderElementsOf(properties().stream()
                        .filter(property -> property.type().startsWith("java.util.Map<"))
                        .map(Property::name)
                        .toList());
    }

    @Test
    void theTableInTheDocumentsMatchesTheMetadata() throws IOException {
        String rows = properties().stream().map(Property::row).collect(Collectors.joining("\n"));

        assertThat(Files.readString(TABLE)).contains("| --- | --- | --- |\n" + rows + "\n");
    }

    static List<MarkedTable> pages() {
        return List.of(
                MarkedTable.of("audit.md", "saga.audit"),
                MarkedTable.of("claims.md", "saga.claims", "saga.janitor", "saga.due"),
                MarkedTable.of("dashboard.md", "saga.dashboard"),
                MarkedTable.of("idempotency.md", "saga.idempotency"),
                MarkedTable.of("leases.md", "saga.leases"),
                MarkedTable.of("production.md", "saga.keeper"),
                MarkedTable.of("runs.md", "saga.runs"),
                MarkedTable.of("sagas.md", "saga.sagas"),
                MarkedTable.of("schedules.md", "saga.schedules"),
                MarkedTable.of("listeners.md", "saga.listeners"),
                MarkedTable.of("schema.md", "saga.schema"));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theTableOfEachCapabilityListsItsProperties(MarkedTable page) throws IOException {
        page.requireIs("properties", HEAD + rowsBelow(page.names()));
    }

    @Test
    void everyPropertyOfACapabilityHasAPage() {
        assertThat(properties())
                .extracting(Property::name)
                .filteredOn(name -> pages().stream().noneMatch(page -> isBelow(name, page.names())))
                .allMatch(name -> name.startsWith("management.")
                        || name.matches("saga\\.(enabled|workflows|workflow-locations)"));
    }

    private static String rowsBelow(List<String> prefixes) {
        return prefixes.stream()
                .flatMap(prefix -> properties().stream().filter(property -> isBelow(property.name(), List.of(prefix))))
                .map(property -> property.row() + "\n")
                .collect(Collectors.joining());
    }

    private static boolean isBelow(String property, List<String> prefixes) {
        return prefixes.stream().anyMatch(prefix -> property.startsWith(prefix + "."));
    }
}
