package io.sagaspring.schema;

import org.springframework.core.io.ClassPathResource;

/**
 * One step of the schema: {@code V<n>__….sql}, which ends by recording n in {@code saga_schema_version}.
 *
 * @param version the n of its name
 * @param file where it lies on the class path
 */
record MigrationScript(int version, ClassPathResource file) {

    static MigrationScript of(String location, String name) {
        int version = Integer.parseInt(name.substring(1, name.indexOf("__")));
        return new MigrationScript(
                version, new ClassPathResource(location + "/" + name, MigrationScript.class.getClassLoader()));
    }
}
