package io.sagaspring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that each guarantee on the page names the tests that check it. */
class GuaranteesDocumentTests {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/guarantees.md");

    /** Matches an item of a list together with the items below it. */
    private static final Pattern GUARANTEE = Pattern.compile("^- .*(?:\\n +.*)*$", Pattern.MULTILINE);

    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Tests|Contract))`");

    @Test
    void everyGuaranteeNamesTestsThatExist() throws IOException {
        Set<String> existing = tests();

        List<String> guarantees = GUARANTEE
                .matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group())
                .toList();

        assertThat(guarantees).hasSizeGreaterThan(40).allSatisfy(guarantee -> {
            String line = guarantee.substring(guarantee.lastIndexOf('\n') + 1);
            assertThat(line).startsWith("  - Tests: ");
            List<String> named =
                    TEST.matcher(line).results().map(test -> test.group(1)).toList();
            assertThat(named).isNotEmpty().allMatch(existing::contains);
        });
    }

    private static Set<String> tests() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .flatMap(GuaranteesDocumentTests::files)
                    .map(file -> String.valueOf(file.getFileName()).replace(".java", ""))
                    .collect(Collectors.toSet());
        }
    }

    private static Stream<Path> files(Path source) {
        try (Stream<Path> files = Files.walk(source)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
