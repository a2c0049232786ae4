package io.sagaspring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Executes the commands of the page with which a newcomer copies the application. */
class GettingStartedTests {

    private static final Path SKELETONS = Path.of("").toAbsolutePath();
    private static final Path ROOT = SKELETONS.resolve("../..").normalize();

    @Test
    void theCopyContainsTheApplicationAndItsTests(@TempDir Path folder) throws Exception {
        List<String> commands = Files.readAllLines(ROOT.resolve("docs/getting-started.md")).stream()
                .filter(line -> line.startsWith("mkdir ") || line.startsWith("cp "))
                .toList();
        ProcessBuilder shell = new ProcessBuilder("bash", "-ec", String.join("\n", commands))
                .directory(folder.toFile())
                .inheritIO();
        shell.environment().put("SAGA", ROOT.toString());

        assertThat(shell.start().waitFor()).isZero();

        assertThat(folder.resolve("mvnw")).isExecutable();
        assertThat(folder.resolve(".mvn/wrapper/maven-wrapper.properties")).isRegularFile();
        assertThat(folder.resolve("pom.xml")).hasSameTextualContentAs(SKELETONS.resolve("start/pom.xml"));
        assertThat(files(folder.resolve("src/main"))).isEqualTo(files(SKELETONS.resolve("src/main")));
        assertThat(files(folder.resolve("src/test")))
                .isNotEmpty()
                .isEqualTo(files(SKELETONS.resolve("src/test")).stream()
                        .filter(file -> file.startsWith("java/com/example/shop") || file.startsWith("resources/config"))
                        .toList());
    }

    /** A published password or key is not a secret. The page has commands that generate both. */
    @Test
    void theCopyContainsNoSecret() throws Exception {
        assertThat(SKELETONS.resolve("src/main/resources/application.yml"))
                .content()
                .doesNotContain("password:")
                .contains("callback-keys: [\"${CALLBACK_KEY}\"]");
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }
}
