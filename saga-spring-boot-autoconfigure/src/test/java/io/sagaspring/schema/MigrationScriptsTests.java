package io.sagaspring.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** The list of scripts in the code matches the files in the jar. */
class MigrationScriptsTests {

    static List<String> names() {
        return MigrationScripts.SHIPPED.all().stream()
                .map(script -> String.valueOf(script.file().getFilename()))
                .toList();
    }

    @Test
    void everyScriptInTheJarIsListed() throws IOException {
        Resource[] files =
                new PathMatchingResourcePatternResolver().getResources("classpath*:io/sagaspring/schema/*.sql");

        assertThat(Arrays.stream(files).map(Resource::getFilename)).containsExactlyInAnyOrderElementsOf(names());
    }

    @Test
    void theVersionsBeginAtOneAndHaveNoGaps() {
        var files = names();

        for (int n = 1; n <= files.size(); n++) {
            assertThat(files.get(n - 1)).startsWith("V" + n + "__");
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyScriptEndsByRecordingItsOwnVersion(String file) throws IOException {
        String sql = new ClassPathResource("io/sagaspring/schema/" + file).getContentAsString(StandardCharsets.UTF_8);
        String version = file.substring(1, file.indexOf("__"));

        assertThat(sql.stripTrailing())
                .endsWith("INSERT INTO saga_schema_version (version) VALUES (%s);".formatted(version));
    }
}
