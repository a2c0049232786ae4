package io.sagaspring.entity;

import io.sagaspring.fence.OwnTransactions;

/**
 * The parts of an entity's table.
 *
 * @param entity the entity's class
 * @param own the library's own transactions over the entity's database
 * @param tenants the tenants of the entity's rows and tables
 * @param columns the columns of the entity's id, status and version
 * @param id the type and the parts of the entity's id
 * @param statuses the statuses that the entity may have
 * @param modified the last-modified columns that flips write
 */
record TableParts(
        Class<?> entity,
        OwnTransactions own,
        TableTenants tenants,
        MappedColumns columns,
        IdShape id,
        Statuses statuses,
        LastModified modified) {

    /** Returns the parts with the tables of one tenant. */
    TableParts at(TenantTables.Place place) {
        return new TableParts(entity, own, tenants, columns.at(place), id, statuses, modified.at(place));
    }
}
