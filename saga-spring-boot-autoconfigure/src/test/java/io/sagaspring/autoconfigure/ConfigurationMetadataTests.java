package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

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

/** What an IDE shows while somebody types {@code saga.}, and the table in the documents, which is made of it. */
class ConfigurationMetadataTests {

    private static final Path METADATA = Path.of("target/classes/META-INF/spring-configuration-metadata.json");
    private static final Path TABLE = Path.of("../docs/configuration.md");

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
    void thereIsMetadata() {
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
    void theTableInTheDocumentsSaysTheSame() throws IOException {
        String rows = properties().stream().map(Property::row).collect(Collectors.joining("\n"));

        assertThat(Files.readString(TABLE)).contains("| --- | --- | --- |\n" + rows + "\n");
    }
}
