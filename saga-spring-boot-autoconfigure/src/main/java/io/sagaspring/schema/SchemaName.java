package io.sagaspring.schema;

import java.util.regex.Pattern;

/**
 * The configured name of a schema. The name must be in lower case, so that quoting makes no difference. It must also be
 * short enough that PostgreSQL does not truncate it.
 *
 * @param value the name itself
 */
record SchemaName(String value) {

    private static final Pattern ALLOWED = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    /** Rejects a name that is not allowed. The exception's message contains the reason. */
    SchemaName {
        if (!ALLOWED.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "A schema name starts with a lower-case letter or an underscore, continues with lower-case letters,"
                            + " digits and underscores, and has at most 63 characters.");
        }
        if (value.startsWith("pg_") || value.equals("information_schema")) {
            throw new IllegalArgumentException("This schema is reserved for PostgreSQL. Choose another name.");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
