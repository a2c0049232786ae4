package io.sagaspring.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the first page shows is what the sample runs. */
class ReadmeTests {

    private static final Path ROOT = Path.of("..");
    private static final Pattern EXCERPT =
            Pattern.compile("<!-- (sample-billing-app/\\S+) -->\n```\\w+\n(.+?)```", Pattern.DOTALL);

    @Test
    void everyExcerptIsFoundInTheFileItNamesLineByLineInItsOrder() throws IOException {
        List<MatchResult> excerpts = EXCERPT.matcher(Files.readString(ROOT.resolve("README.md")))
                .results()
                .toList();

        assertThat(excerpts).hasSizeGreaterThanOrEqualTo(5);
        for (MatchResult excerpt : excerpts) {
            List<String> file = lines(Files.readString(ROOT.resolve(excerpt.group(1))));
            assertThat(file).as(excerpt.group(1)).containsSubsequence(lines(excerpt.group(2)));
        }
    }

    private static List<String> lines(String text) {
        return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }
}
