package io.sagaspring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that the code on the pages is taken from files that are compiled and tested. A comment in front of a block
 * names the file:
 * <pre>{@code
 * <!-- docs/skeletons/src/main/java/com/example/shop/order/ShipOrder.java -->
 * }</pre>
 */
class DocumentsTests {

    private static final Path ROOT = Path.of("../..");

    private static final Pattern EXCERPT = Pattern.compile("^<!-- (\\S+) -->\n```\\w+\n(.*?)^```$", flags());
    private static final Pattern NAMED = Pattern.compile("^<!-- \\S+ -->$", flags());
    private static final Pattern JAVA = Pattern.compile("^ *```java\\b", flags());
    private static final Pattern NAMED_JAVA = Pattern.compile("^<!-- \\S+ -->\n```java$", flags());

    private static final Pattern CODE = Pattern.compile("^```.*?^```$", flags());
    private static final Pattern HEADING = Pattern.compile("^#{1,6} (.*?)$", flags());
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#\\s]*)#?([^)\\s]*)\\)");

    private static int flags() {
        return Pattern.MULTILINE | Pattern.DOTALL;
    }

    record Page(Path file, String text) {

        static Page of(Path file) {
            try {
                return new Page(file, Files.readString(file));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        List<Excerpt> excerpts() {
            return EXCERPT.matcher(text)
                    .results()
                    .map(found -> new Excerpt(found.group(1), found.group(2)))
                    .toList();
        }

        List<Link> links() {
            return LINK.matcher(CODE.matcher(text).replaceAll(""))
                    .results()
                    .map(found -> new Link(found.group(1), found.group(2)))
                    .toList();
        }

        long count(Pattern pattern) {
            return pattern.matcher(text).results().count();
        }

        @Override
        public String toString() {
            return file.getFileName().toString();
        }
    }

    record Link(String path, String anchor) {}

    record Excerpt(String file, String text) {}

    static Stream<Page> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            List<Path> pages = docs.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), pages.stream())
                    .map(Page::of);
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theLinesOfAnExcerptAreInItsFileInTheSameOrder(Page page) throws IOException {
        for (Excerpt excerpt : page.excerpts()) {
            Path file = ROOT.resolve(excerpt.file());
            assertThat(file).isRegularFile();
            assertThat(lines(Files.readString(file))).as(excerpt.file()).containsSubsequence(lines(excerpt.text()));
        }
    }

    /**
     * In front of an empty line, or of a block without a language, the file name would count as an ordinary comment.
     */
    @ParameterizedTest
    @MethodSource("pages")
    void everyFileNameIsDirectlyFollowedByABlock(Page page) {
        assertThat(page.count(NAMED)).isEqualTo(page.excerpts().size());
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyJavaBlockIsAnExcerpt(Page page) {
        assertThat(page.count(NAMED_JAVA)).isEqualTo(page.count(JAVA));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkHasATarget(Page page) throws IOException {
        for (Link link : page.links()) {
            Path target = link.path().isEmpty() ? page.file() : page.file().resolveSibling(link.path());
            assertThat(target).as("%s in %s", link, page).exists();
            if (!link.anchor().isEmpty()) {
                assertThat(anchors(Files.readString(target)))
                        .as("%s in %s", link, page)
                        .contains(link.anchor());
            }
        }
    }

    /** Converts headings to anchors in the same way as the sites that show the page. */
    private static List<String> anchors(String text) {
        return HEADING.matcher(CODE.matcher(text).replaceAll(""))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    private static List<String> lines(String text) {
        return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }
}
