package io.sagaspring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the dependencies between packages against one table. Dependencies point downwards only. */
class ArchitectureTests {

    private static final Map<String, Set<String>> MAY_SEE = Map.ofEntries(
            Map.entry(
                    "autoconfigure",
                    Set.of(
                            "actuate",
                            "web",
                            "workflow",
                            "janitor",
                            "claim",
                            "database",
                            "due",
                            "entity",
                            "definition",
                            "idempotency",
                            "lease",
                            "listener",
                            "operations",
                            "pause",
                            "run",
                            "saga",
                            "schedule",
                            "method",
                            "payload",
                            "fence",
                            "schema",
                            "startup",
                            "tenant")),
            Map.entry(
                    "actuate",
                    Set.of(
                            "workflow",
                            "janitor",
                            "claim",
                            "database",
                            "due",
                            "definition",
                            "fence",
                            "idempotency",
                            "lease",
                            "listener",
                            "operations",
                            "pause",
                            "run",
                            "saga",
                            "schedule",
                            "tenant")),
            Map.entry(
                    "operations",
                    Set.of(
                            "claim",
                            "due",
                            "fence",
                            "idempotency",
                            "janitor",
                            "jdbc",
                            "lease",
                            "listener",
                            "pause",
                            "payload",
                            "run",
                            "saga",
                            "schedule",
                            "schema",
                            "tenant")),
            Map.entry("web", Set.of("workflow", "claim", "entity", "idempotency", "run", "payload", "fence")),
            Map.entry(
                    "workflow",
                    Set.of(
                            "claim",
                            "database",
                            "due",
                            "entity",
                            "definition",
                            "fence",
                            "jdbc",
                            "payload",
                            "schema",
                            "startup",
                            "tenant")),
            Map.entry("janitor", Set.of("claim", "database", "entity", "fence", "jdbc", "schema", "startup", "tenant")),
            Map.entry("claim", Set.of("database", "entity", "fence", "jdbc", "schema", "tenant")),
            Map.entry("due", Set.of("database", "fence", "jdbc", "schema", "tenant")),
            Map.entry("database", Set.of("fence", "tenant")),
            Map.entry("entity", Set.of("database", "fence", "jdbc", "tenant")),
            Map.entry("idempotency", Set.of("fence", "jdbc", "method", "payload", "schema", "startup", "tenant")),
            Map.entry("lease", Set.of("fence", "jdbc", "method", "schema", "startup", "tenant")),
            Map.entry("run", Set.of("due", "fence", "jdbc", "payload", "schema", "startup", "tenant")),
            Map.entry("saga", Set.of("fence", "payload", "run", "startup")),
            Map.entry("schedule", Set.of("fence", "jdbc", "run", "schema", "startup")),
            Map.entry("listener", Set.of("due", "fence", "jdbc", "method", "payload", "run", "schema", "startup")),
            Map.entry("method", Set.of("startup")),
            Map.entry("pause", Set.of("fence", "jdbc", "schema")),
            Map.entry("payload", Set.of()),
            Map.entry("definition", Set.of()),
            Map.entry("fence", Set.of("jdbc")),
            Map.entry("jdbc", Set.of()),
            Map.entry("schema", Set.of("startup")),
            Map.entry("startup", Set.of()),
            Map.entry("tenant", Set.of()));

    /**
     * Packages that implement the interfaces of their parent package. Only the wiring may depend on these
     * implementations.
     */
    private static final Set<String> IMPLEMENTATIONS = Set.of("io.sagaspring.run.postgres");

    /**
     * The packages that may use Spring Boot. Of all packages, only {@code autoconfigure} depends on {@code actuate}.
     */
    private static final String[] WIRING = {"io.sagaspring.autoconfigure..", "io.sagaspring.actuate.."};

    /**
     * The only class outside the wiring that may use Spring Boot. It needs the conditions of Spring Boot for its beans.
     */
    private static final String WEB_BEANS = "io.sagaspring.web.WebConfiguration";

    private static final JavaClasses classes = new ClassFileImporter().importPath(Path.of("target/classes"));

    static Set<String> packages() {
        return MAY_SEE.keySet();
    }

    @Test
    void everyPackageHasARowInTheTable() {
        Set<String> found = classes.stream()
                .map(JavaClass::getPackageName)
                .map(ArchitectureTests::firstBelowRoot)
                .collect(Collectors.toSet());

        assertThat(found).isEqualTo(packages());
    }

    @ParameterizedTest
    @MethodSource("packages")
    void aPackageDependsOnlyOnThePackagesInItsRow(String name) {
        String[] others = packages().stream()
                .filter(other -> !other.equals(name))
                .filter(other -> !MAY_SEE.getOrDefault(name, Set.of()).contains(other))
                .map(other -> "io.sagaspring." + other + "..")
                .toArray(String[]::new);

        noClasses()
                .that()
                .resideInAPackage("io.sagaspring." + name + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .check(classes);
    }

    /** The wiring calls the reader and passes its result on. The reader does not know any beans. */
    @Test
    void theConfigurationReaderDoesNotDependOnTheWiring() {
        noClasses()
                .that()
                .resideInAPackage("io.sagaspring.autoconfigure.source..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.sagaspring.autoconfigure")
                .check(classes);
    }

    /** Claims reach an entity through {@code EntityTable}, so that they also work without JPA. */
    @Test
    void claimsDoNotDependOnJpa() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.sagaspring.claim..",
                        "io.sagaspring.janitor..",
                        "io.sagaspring.workflow..",
                        "io.sagaspring.web..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.hibernate..", "jakarta.persistence..", "org.springframework.orm..")
                .check(classes);
    }

    /** SQL statements about runs belong to the store on PostgreSQL. */
    @Test
    void theRunPackageDoesNotDependOnJdbc() {
        noClasses()
                .that()
                .resideInAPackage("io.sagaspring.run")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.sagaspring.jdbc")
                .check(classes);
    }

    @Test
    void featuresDependNeitherOnSpringBootNorOnPropertiesClasses() {
        noClasses()
                .that()
                .resideOutsideOfPackages(WIRING)
                .and()
                .doNotHaveFullyQualifiedName(WEB_BEANS)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot..")
                .orShould()
                .dependOnClassesThat()
                .haveSimpleNameEndingWith("Properties")
                .check(classes);
    }

    static Set<String> implementations() {
        return IMPLEMENTATIONS;
    }

    @ParameterizedTest
    @MethodSource("implementations")
    void onlyTheWiringDependsOnAnImplementation(String implementation) {
        assertThat(classes).anyMatch(each -> each.getPackageName().equals(implementation));

        noClasses()
                .that()
                .resideOutsideOfPackages("io.sagaspring.autoconfigure..", implementation + "..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(implementation + "..")
                .check(classes);
    }

    /** NullAway checks only marked packages, and skips the others silently. */
    @Test
    void everyPackageIsNullMarked() {
        assertThat(classes.stream().map(JavaClass::getPackage).distinct())
                .allMatch(each -> each.isAnnotatedWith(NullMarked.class));
    }

    /**
     * 90 locales have their own digits. A database cannot read such digits in a statement. In a name, a node with
     * another locale would not recognize them.
     */
    @Test
    void noStatementOrNameDependsOnTheDefaultLocale() throws IOException {
        Pattern number = Pattern.compile("%(\\d+\\$)?[-+ 0,#(]*\\d*(\\.\\d+)?[dfegEGtT]");
        Pattern numberInAName = Pattern.compile("\"[^\" ]*" + number + "[^\" ]*\"");
        Pattern letters = Pattern.compile("\\.to(Upper|Lower)Case\\(\\)");
        List<String> faults = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                boolean hasStatements = Files.readString(file).contains("SELECT ");
                for (String line : Files.readAllLines(file)) {
                    if ((hasStatements && number.matcher(line).find())
                            || numberInAName.matcher(line).find()
                            || letters.matcher(line).find()) {
                        faults.add(file.getFileName() + ": " + line.strip());
                    }
                }
            }
        }
        assertThat(faults).isEmpty();
    }

    private static String firstBelowRoot(String packageName) {
        String below = packageName.substring("io.sagaspring.".length());
        int end = below.indexOf('.');
        return end < 0 ? below : below.substring(0, end);
    }
}
