package io.sagaspring.entity;

import org.jspecify.annotations.Nullable;

/**
 * The predicates on a row of the version's table that are added to a statement's own predicates. Each predicate
 * contains {@code {@}} in place of the table's alias. The predicates are part of a statement's own WHERE, so that
 * PostgreSQL checks them again after an update has waited for a row's lock.
 *
 * @param discriminator the predicate that excludes rows of other classes in the same table, or an empty string
 * @param visibility the predicate that excludes rows that JPA does not load, or an empty string
 * @param tenant the column with the row's tenant, or null if there is none
 */
record RowPredicates(
        String discriminator, String visibility, @Nullable TenantColumn tenant) {

    static final String ALIAS = "{@}";

    /** Returns AND and the predicate on the class, or an empty string. */
    String ofThisClass(String alias) {
        return and(discriminator, alias);
    }

    /** Returns AND and the predicate for the rows that JPA loads, or an empty string. */
    String visible(String alias) {
        return and(visibility, alias);
    }

    /** Returns AND and the predicate on the tenant, or an empty string. */
    String ofTenant(String alias) {
        return tenant == null ? "" : " AND " + tenant.is(alias);
    }

    private static String and(String predicate, String alias) {
        return predicate.isEmpty() ? "" : " AND " + predicate.replace(ALIAS, alias);
    }
}
