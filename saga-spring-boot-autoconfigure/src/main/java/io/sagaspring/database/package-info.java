/**
 * The databases that hold claims. One commit writes the entity and its row in the ledger, so each database with
 * entities that can be claimed has tables of the library. Without a database per tenant, there is only the home
 * database. The database of a tenant has threads of its own, so a database that is down does not delay the others.
 * Start reading at {@link io.sagaspring.database.Databases}.
 *
 * <p>The public types of this package are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.database;

import org.jspecify.annotations.NullMarked;
