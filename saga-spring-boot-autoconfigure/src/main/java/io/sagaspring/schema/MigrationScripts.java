package io.sagaspring.schema;

import java.net.URL;
import java.util.List;

/**
 * The scripts that make the schema, in the order in which they run. Named here rather than searched for, because a
 * search finds nothing in a native image and too much in a repackaged jar.
 *
 * @param location the folder of the class path they lie in
 * @param files their names: {@code V<n>__…} ends by recording n in {@code saga_schema_version}
 */
record MigrationScripts(String location, List<String> files) {

    static final MigrationScripts SHIPPED = new MigrationScripts("db/saga", List.of("V1__schema_version.sql"));

    int latest() {
        return version(files.get(files.size() - 1));
    }

    /** Where a person finds the scripts that lead from one version to the latest. */
    List<String> after(int version) {
        return files.stream()
                .filter(file -> version(file) > version)
                .map(this::place)
                .toList();
    }

    private static int version(String file) {
        return Integer.parseInt(file.substring(1, file.indexOf("__")));
    }

    private String place(String file) {
        String path = location + "/" + file;
        URL url = MigrationScripts.class.getClassLoader().getResource(path);
        return url == null ? "classpath:" + path : url.toString();
    }
}
