package io.sagaspring.schema;

import java.util.List;
import java.util.Set;
import org.springframework.core.io.ClassPathResource;

/**
 * The scripts that make the schema, in the order in which they run. Named here rather than searched for, because a
 * search finds nothing in a native image and too much in a repackaged jar.
 *
 * @param location the folder of the class path they lie in: one that no application searches for scripts of its own
 * @param files their names: {@code V<n>__…} ends by recording n in {@code saga_schema_version}
 */
record MigrationScripts(String location, List<String> files) {

    static final MigrationScripts SHIPPED =
            new MigrationScripts("io/sagaspring/schema", List.of("V1__schema_version.sql"));

    int latest() {
        return version(files.get(files.size() - 1));
    }

    /** What is left to run where these versions have run. */
    List<ClassPathResource> missingIn(Set<Integer> versions) {
        return files.stream()
                .filter(file -> !versions.contains(version(file)))
                .map(file -> new ClassPathResource(location + "/" + file))
                .toList();
    }

    /** Whether a script is missing that comes before one that has run. */
    boolean leaveAGapIn(Set<Integer> versions) {
        return files.stream()
                .map(MigrationScripts::version)
                .filter(version -> !versions.contains(version))
                .anyMatch(missing -> versions.stream().anyMatch(run -> run > missing));
    }

    private static int version(String file) {
        return Integer.parseInt(file.substring(1, file.indexOf("__")));
    }
}
