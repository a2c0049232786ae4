package io.sagaspring.schema;

import java.util.regex.Pattern;

/**
 * A schema's name as a person may configure it: lower case, so that quotes change nothing, and not so long as to be cut.
 *
 * @param value the name itself
 */
record SchemaName(String value) {

    private static final Pattern ALLOWED = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    /** Refuses, with a sentence, what is not such a name. */
    SchemaName {
        if (!ALLOWED.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "A schema name starts with a lower case letter or an underscore, goes on with lower case letters,"
                            + " digits and underscores, and has at most 63 characters.");
        }
        if (value.startsWith("pg_") || value.equals("information_schema")) {
            throw new IllegalArgumentException("PostgreSQL keeps this schema for itself. Choose another name.");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
