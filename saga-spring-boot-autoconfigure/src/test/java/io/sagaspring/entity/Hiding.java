package io.sagaspring.entity;

import io.sagaspring.entity.hidden.Hidden;

/** The ways in which JPA hides a row. */
enum Hiding {
    FLAG(Hidden.HiddenByFlag.class, "deleted = true"),
    LETTER(Hidden.HiddenByLetter.class, "active = 'N'"),
    TIME(Hidden.HiddenByTime.class, "deleted = now()"),
    RESTRICTION(Hidden.HiddenByRestriction.class, "hidden = true"),
    INHERITED_RESTRICTION(Hidden.HiddenByParent.class, "hidden = true"),
    TWO_TABLES(Hidden.HiddenInTwoTables.class, "hidden = true");

    final Class<?> entity;
    private final String hidden;

    Hiding(Class<?> entity, String hidden) {
        this.entity = entity;
        this.hidden = hidden;
    }

    String workflow() {
        return ClosingWorkflow.nameOf(entity);
    }

    private String table() {
        return this == INHERITED_RESTRICTION ? "hidden_parent" : snake(entity.getSimpleName());
    }

    private static String snake(String name) {
        return name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(java.util.Locale.ROOT);
    }

    /** Returns the statement that hides the row with an id. */
    String hide(long id) {
        return "UPDATE %s SET %s WHERE id = %s".formatted(table(), hidden, id);
    }

    /** Returns the query for the status of the row with an id. */
    String status(long id) {
        return "SELECT status FROM %s WHERE id = %s".formatted(this == TWO_TABLES ? "hidden_state" : table(), id);
    }

    /** Returns the statement that changes the status of the row with an id. */
    String move(long id, String status) {
        return "UPDATE %s SET status = '%s' WHERE id = %s"
                .formatted(this == TWO_TABLES ? "hidden_state" : table(), status, id);
    }
}
