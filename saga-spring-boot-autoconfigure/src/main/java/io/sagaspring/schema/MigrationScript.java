package io.sagaspring.schema;

import org.springframework.core.io.ClassPathResource;

/**
 * A migration script with the name {@code V<n>__….sql}. Its last statement records n in {@code saga_schema_version}.
 *
 * @param version the number n in its name
 * @param file the script on the class path
 */
record MigrationScript(int version, ClassPathResource file) {

    static MigrationScript of(String location, String name) {
        int version = Integer.parseInt(name.substring(1, name.indexOf("__")));
        return new MigrationScript(
                version, new ClassPathResource(location + "/" + name, MigrationScript.class.getClassLoader()));
    }
}
