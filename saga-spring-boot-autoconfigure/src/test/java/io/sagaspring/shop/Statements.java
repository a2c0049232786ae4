package io.sagaspring.shop;

import java.util.Arrays;
import java.util.function.Predicate;

/** Finds statements of the library by the name in their comment. */
public final class Statements {

    private Statements() {}

    public static boolean isNamed(String sql, String name) {
        return sql.contains(" /* saga:" + name + " */ ");
    }

    public static Predicate<String> named(String... names) {
        return sql -> Arrays.stream(names).anyMatch(name -> isNamed(sql, name));
    }

    /** Returns true if a statement belongs to a table, or to one part of the library. */
    public static boolean isOf(String sql, String part) {
        return sql.contains(" /* saga:" + part + ".");
    }
}
