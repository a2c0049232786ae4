package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares the table of settings in the document with the metadata. */
class DashboardDocumentTests {

    @Test
    void theDocumentListsEverySettingWithItsDescription() throws IOException {
        String document = Files.readString(Path.of("../docs/dashboard.md"));
        JsonNode metadata = JsonMapper.shared()
                .readTree(Files.readString(Path.of("target/classes/META-INF/spring-configuration-metadata.json")));

        assertThat(metadata.get("properties"))
                .hasSize(4)
                .allSatisfy(each -> assertThat(document)
                        .contains("| `%s` | `%s` | %s |"
                                .formatted(
                                        each.get("name").asString(),
                                        each.get("defaultValue").asString(),
                                        each.get("description").asString())));
    }
}
