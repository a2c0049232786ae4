package io.sagaspring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.util.StringUtils;

/** Checks that at most 3 % of the texts break each writing rule. */
class PlainWordsTests {

    private static final double LIMIT = 0.03;
    private static final Path ROOT = Path.of("../..");
    private static final JavaComments comments = JavaComments.of(files(PlainWordsTests::isSource));
    private static final List<PlainWords.Text> sentences = files(PlainWordsTests::isPage).stream()
            .flatMap(page -> PlainWords.sentences(ROOT.relativize(page).toString(), read(page)))
            .toList();

    private static final List<PlainWords.Text> scripts = files(PlainWordsTests::isScript).stream()
            .flatMap(script -> ScriptComments.of(ROOT.relativize(script).toString(), read(script)).stream())
            .toList();

    @Test
    void aCommentBeginsWithAVerbOrANoun() {
        atMost(comments.leads(), text -> PlainWords.LEAD.matcher(text.text()).matches());
    }

    @Test
    void aDescriptionOfAParameterOrResultBeginsWithANoun() {
        atMost(comments.tags(), text -> PlainWords.CLAUSE.matcher(text.text()).matches());
    }

    @Test
    void aSentenceOfADocumentIsShortAndItsSubjectIsANoun() {
        atMost(sentences, PlainWordsTests::isOdd);
    }

    @Test
    void textsUseTheWordsOfTheGlossary() {
        List<PlainWords.Text> all =
                Stream.concat(sentences.stream(), comments.all().stream()).toList();
        atMost(all, text -> PlainWords.isBanned(text.text()));
    }

    @Test
    void aCommentOfASqlScriptOrYamlFileFollowsTheSameRules() {
        assertThat(scripts).extracting(PlainWords.Text::place).anyMatch(place -> place.contains("V6__runs.sql:"));
        atMost(
                scripts,
                comment -> PlainWords.LEAD
                                .matcher(StringUtils.capitalize(comment.text()))
                                .matches()
                        || PlainWords.isBanned(comment.text())
                        || PlainWords.sentences(comment.place(), comment.text()).anyMatch(PlainWordsTests::isOdd));
    }

    private static boolean isOdd(PlainWords.Text sentence) {
        return sentence.isTooLong()
                || PlainWords.CLAUSE_AS_SUBJECT.matcher(sentence.text()).matches();
    }

    private static void atMost(Collection<PlainWords.Text> texts, Predicate<PlainWords.Text> breaks) {
        List<PlainWords.Text> broken = texts.stream().filter(breaks).toList();
        assertThat((double) broken.size() / texts.size())
                .as("%d of %d:%n%s", broken.size(), texts.size(), lines(broken))
                .isLessThanOrEqualTo(LIMIT);
    }

    private static String lines(List<PlainWords.Text> texts) {
        return String.join("\n", texts.stream().map(PlainWords.Text::toString).toList());
    }

    private static boolean isSource(Path file) {
        return file.toString().endsWith(".java") && file.toString().contains("/src/main/java/");
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }

    private static boolean isScript(Path file) {
        return file.toString().matches(".*\\.(sql|yml|yaml|properties)");
    }

    private static List<Path> files(Predicate<Path> wanted) {
        try (Stream<Path> all = Files.walk(ROOT)) {
            return all.filter(file -> !file.toString().contains("/target/")
                            && !file.toString().contains("/.git/"))
                    .filter(wanted)
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
