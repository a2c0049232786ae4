package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.MarkedTable;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;

/** The page about mappings lists each supported mapping with the clauses that are tested for it, and each refusal. */
class MappingsDocumentTests {

    private static final String PAGE = "mappings.md";

    private static final List<Class<?>> TESTS =
            List.of(ClaimContract.class, FailureContract.class, IdContract.class, KillContract.class);

    @Test
    void eachTestOfAllMappingsNamesAClause() {
        assertThat(methods())
                .filteredOn(method -> mappings(method).size() == Mapping.values().length)
                .filteredOn(method -> method.isAnnotationPresent(ParameterizedTest.class))
                .isNotEmpty()
                .allMatch(method -> method.isAnnotationPresent(Clause.Shown.class));
        assertThat(Mapping.values()).hasSizeGreaterThan(60);
    }

    @Test
    void thePageListsTheClausesWithTheirTests() throws IOException {
        String rows = Arrays.stream(Clause.values())
                .map(clause -> "| %s | %s | %s |\n"
                        .formatted(
                                clause.title,
                                clause.meaning,
                                showing(clause)
                                        .map(method -> "`%s`"
                                                .formatted(method.getDeclaringClass()
                                                        .getSimpleName()))
                                        .distinct()
                                        .sorted()
                                        .collect(Collectors.joining(" "))))
                .collect(Collectors.joining());

        MarkedTable.of(PAGE, "the contract")
                .requireIs("clauses", "| clause | what is tested | tests |\n| --- | --- | --- |\n" + rows);
    }

    @Test
    void thePageListsTheMappingsWithTheirClauses() throws IOException {
        String head = Arrays.stream(Clause.values())
                .map(clause -> clause.title)
                .collect(Collectors.joining(" | ", "| mapping | ", " |\n"));
        String line = "| --- |" + " --- |".repeat(Clause.values().length) + "\n";
        String rows = Arrays.stream(Mapping.values())
                .map(mapping -> Arrays.stream(Clause.values())
                        .map(clause -> isShown(clause, mapping) ? "✓" : "–")
                        .collect(Collectors.joining(" | ", "| %s | ".formatted(words(mapping.name())), " |\n")))
                .collect(Collectors.joining());

        MarkedTable.of(PAGE, "Mapping").requireIs("mappings", head + line + rows);
    }

    private static String words(String constant) {
        return constant.toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static boolean isShown(Clause clause, Mapping mapping) {
        List<Method> tests = showing(clause).toList();
        return !tests.isEmpty()
                && tests.stream().allMatch(method -> mappings(method).contains(mapping));
    }

    private static Stream<Method> showing(Clause clause) {
        return methods().stream()
                .filter(method -> method.isAnnotationPresent(Clause.Shown.class)
                        && method.getAnnotation(Clause.Shown.class).value() == clause);
    }

    private static List<Method> methods() {
        return TESTS.stream()
                .flatMap(test -> Arrays.stream(test.getDeclaredMethods()))
                .toList();
    }

    /** Returns the mappings with which a test runs. A test without a source runs with all mappings. */
    private static Set<Mapping> mappings(Method test) {
        EnumSource source = test.getAnnotation(EnumSource.class);
        if (source == null) {
            return EnumSet.allOf(Mapping.class);
        }
        Set<String> names = Set.of(source.names());
        return Arrays.stream(Mapping.values())
                .filter(mapping ->
                        names.isEmpty() || names.contains(mapping.name()) == (source.mode() == EnumSource.Mode.INCLUDE))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Mapping.class)));
    }

    @Test
    void thePageListsTheRefusals() throws IOException {
        String rows = Stream.of(
                        RefusedMappingTests.mappings().map(row -> refusal(row, RefusedMappingTests::sentences)),
                        RefusedStatusTests.conversions()
                                .map(row -> refusal(row, entity -> RefusedStatusTests.sentences(entity, "status"))),
                        RefusedStatusTests.embeddables()
                                .map(row ->
                                        refusal(row, entity -> RefusedStatusTests.sentences(entity, "progress.state"))),
                        LastModifiedMappingTests.refused()
                                .map(row -> refusal(row, LastModifiedMappingTests::sentences)))
                .flatMap(each -> each)
                .collect(Collectors.joining());

        MarkedTable.of(PAGE, "the mapping")
                .requireIs("refusals", "| entity in the tests | Entity … |\n| --- | --- |\n" + rows);
    }

    /** Returns the row of a refusal, without the entity's name. */
    private static String refusal(Arguments tested, Function<Class<?>, List<String>> sentences) {
        Class<?> entity = (Class<?>) Objects.requireNonNull(tested.get()[0]);
        String name = "Entity %s ".formatted(entity.getName());
        String sentence = sentences.apply(entity).stream()
                .filter(each -> each.startsWith(name + tested.get()[1]))
                .findFirst()
                .orElseThrow();
        return "| `%s` | %s |\n"
                .formatted(
                        entity.getSimpleName(),
                        sentence.substring(name.length()).replace(entity.getPackageName() + ".", ""));
    }
}
