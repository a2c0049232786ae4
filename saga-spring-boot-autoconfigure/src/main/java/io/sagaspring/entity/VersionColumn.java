package io.sagaspring.entity;

import org.jspecify.annotations.Nullable;

/**
 * The column of an entity's version. A version that is a whole number is incremented. A version that is a time is
 * handled as microseconds since 1970, in statements and in Java.
 *
 * @param name the column
 * @param time the conversion of a version that is a time, or null if the version is a whole number
 */
record VersionColumn(String name, @Nullable VersionTime time) {

    /** Returns this column in a table of another name. */
    VersionColumn in(String table) {
        return time == null ? this : new VersionColumn(name, time.in(table));
    }

    /** Returns the expression for the version as a whole number. The qualifier is an alias with a dot, or empty. */
    String number(String qualifier) {
        return time == null ? qualifier + name : time.micros(qualifier + name);
    }

    /** Returns the expression for the next version, which differs from the current one. */
    String next(String qualifier) {
        return time == null ? qualifier + name + " + 1" : time.next(qualifier + name);
    }

    /** Returns the version of an entity in memory as a whole number. */
    long numberOf(@Nullable Object version) {
        if (time != null && version != null) {
            return time.micros(version);
        }
        return version instanceof Number number ? number.longValue() : 0;
    }

    /** Reads the column's type from the database, unless the type is known or not needed. */
    void locate() {
        if (time != null) {
            time.locate();
        }
    }
}
