package io.sagaspring.schema;

import java.util.regex.Pattern;

/**
 * The name of a schema, as it may be configured. It is in lower case, so that it is the same with and without quotes,
 * and short enough for PostgreSQL not to cut it off.
 *
 * @param value the name itself
 */
record SchemaName(String value) {

    private static final Pattern ALLOWED = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    /** Refuses a name that is not allowed, with the reason. */
    SchemaName {
        if (!ALLOWED.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "A schema name starts with a lower case letter or an underscore, goes on with lower case letters,"
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
