package io.sagaspring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that every public type of the published modules is in one of two lists. One list is for applications, and the
 * other list is for the library's other packages. Making a type public must be a deliberate decision, not a convenience
 * for a test or another package.
 */
class PublicTypesTests {

    private static final Path ROOT = Path.of("..");
    private static final List<String> PUBLISHED = List.of(
            "saga-spring-boot-autoconfigure",
            "saga-spring-boot-dashboard",
            "saga-spring-boot-test",
            "saga-spring-boot-test-database");

    private static final String FOR_APPLICATIONS = "for-applications.txt";
    private static final String FOR_OTHER_PACKAGES = "for-other-packages.txt";
    private static final String SENTENCE = "for the library's other packages only, and may change at any time.";

    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern PUBLIC = Pattern.compile(
            "^public (?:[\\w-]+ )*(?:class|interface|record|enum|@interface) (\\w+)", Pattern.MULTILINE);
    private static final Pattern SINCE = Pattern.compile("^ \\* @since \\d+\\.\\d+\\.\\d+$", Pattern.MULTILINE);

    @Test
    void everyPublicTypeIsInExactlyOneList() {
        List<String> applications = list(FOR_APPLICATIONS);
        List<String> otherPackages = list(FOR_OTHER_PACKAGES);

        assertThat(faults(sources().keySet(), applications, otherPackages)).isEmpty();
    }

    @Test
    void everyFaultInTheListsIsReportedWithItsRemedy() {
        assertThat(faults(
                        List.of("io.sagaspring.a.New", "io.sagaspring.a.Both"),
                        List.of("io.sagaspring.a.Both"),
                        List.of("io.sagaspring.a.Both", "io.sagaspring.a.Gone")))
                .containsExactly(
                        "io.sagaspring.a.New is public but on no list. Make it package-private. If applications call, implement, catch or annotate with it, add it to public-types/for-applications.txt; if only another package of the library needs it, to public-types/for-other-packages.txt.",
                        "io.sagaspring.a.Both is on both lists. Remove it from one.",
                        "io.sagaspring.a.Gone is on a list but is not public. Remove it from the list.");
    }

    @Test
    void eachPackageSaysWhichOfItsPublicTypesAreNotForApplications() {
        Map<String, List<String>> applications = byPackage(list(FOR_APPLICATIONS));
        Map<String, List<String>> otherPackages = byPackage(list(FOR_OTHER_PACKAGES));

        assertThat(packages()).allSatisfy((name, text) -> {
            List<String> internal = otherPackages.getOrDefault(name, List.of());
            List<String> forApplications = applications.getOrDefault(name, List.of());
            int end = text.indexOf(SENTENCE);
            assertThat(end >= 0)
                    .as("The package-info of %s says that public types are %s", name, SENTENCE)
                    .isEqualTo(!internal.isEmpty());
            if (end < 0) {
                return;
            }
            String before = text.substring(0, end);
            String sentence = before.substring(before.lastIndexOf(". ") + 1);
            List<String> named = Pattern.compile("\\{@code (\\w+)}")
                    .matcher(sentence)
                    .results()
                    .map(found -> found.group(1))
                    .toList();
            assertThat(named)
                    .as("The package-info of %s names its types for applications, or the others", name)
                    .isIn(internal, forApplications);
        });
    }

    @Test
    void noTwoPublicTypesShareASimpleName() {
        Map<String, List<String>> bySimpleName = sources().keySet().stream()
                .collect(Collectors.groupingBy(type -> type.substring(type.lastIndexOf('.') + 1)));

        assertThat(bySimpleName.values()).allSatisfy(types -> assertThat(types).hasSize(1));
    }

    @Test
    void everyPublicTypeHasASinceTag() {
        List<String> faults = sources().entrySet().stream()
                .filter(each -> !SINCE.matcher(javadoc(each.getValue())).find())
                .map(each -> "%s has no @since. Add the version of the next release to its Javadoc."
                        .formatted(each.getKey()))
                .toList();

        assertThat(faults).isEmpty();
    }

    private static List<String> faults(
            Collection<String> types, Collection<String> applications, Collection<String> otherPackages) {
        List<String> faults = new ArrayList<>();
        for (String type : types) {
            if (!applications.contains(type) && !otherPackages.contains(type)) {
                faults.add(
                        "%s is public but on no list. Make it package-private. If applications call, implement, catch or annotate with it, add it to public-types/%s; if only another package of the library needs it, to public-types/%s."
                                .formatted(type, FOR_APPLICATIONS, FOR_OTHER_PACKAGES));
            }
            if (applications.contains(type) && otherPackages.contains(type)) {
                faults.add("%s is on both lists. Remove it from one.".formatted(type));
            }
        }
        Stream.concat(applications.stream(), otherPackages.stream())
                .filter(type -> !types.contains(type))
                .map("%s is on a list but is not public. Remove it from the list."::formatted)
                .forEach(faults::add);
        return faults;
    }

    /** Returns the Javadoc directly before the type. Only annotations are between the two. */
    private static String javadoc(String source) {
        MatchResult type = PUBLIC.matcher(source).results().findFirst().orElseThrow();
        String before = source.substring(0, type.start());
        return before.substring(Math.max(0, before.lastIndexOf("/**")));
    }

    /** Returns the source of each public type, by its name. */
    private static SortedMap<String, String> sources() {
        SortedMap<String, String> types = new TreeMap<>();
        files().forEach(source -> PUBLIC.matcher(source)
                .results()
                .forEach(type -> types.put(packageOf(source) + "." + type.group(1), source)));
        assertThat(types).hasSizeGreaterThan(200);
        return types;
    }

    /** Returns the text of each {@code package-info}, by the package's name. */
    private static Map<String, String> packages() {
        return files().filter(source -> source.contains("*/\n@NullMarked\npackage "))
                .collect(Collectors.toMap(
                        PublicTypesTests::packageOf, source -> source.replaceAll("\\s+\\*?\\s*(<p>)?", " ")));
    }

    private static String packageOf(String source) {
        return PACKAGE.matcher(source).results().findFirst().orElseThrow().group(1);
    }

    private static Stream<String> files() {
        return PUBLISHED.stream().flatMap(module -> {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                return files.filter(file -> file.toString().endsWith(".java")).toList().stream()
                        .map(PublicTypesTests::read);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }

    private static List<String> list(String name) {
        return read(Path.of("src/test/resources/public-types").resolve(name))
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
    }

    private static Map<String, List<String>> byPackage(Collection<String> types) {
        return new TreeSet<>(types)
                .stream()
                        .collect(Collectors.groupingBy(
                                type -> type.substring(0, type.lastIndexOf('.')),
                                Collectors.mapping(
                                        type -> type.substring(type.lastIndexOf('.') + 1), Collectors.toList())));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
