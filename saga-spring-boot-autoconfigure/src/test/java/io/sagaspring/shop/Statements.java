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

    /** Returns true if the name of the statement begins with this part, such as {@code schedule}. */
    public static boolean isOf(String sql, String part) {
        return sql.contains(" /* saga:" + part + ".");
    }
}
