/**
 * The databases that hold claims. A claim commits with its entity, so each database with entities has tables of the
 * library. Without a database per tenant, there is only the home database. The invariant: a database that is down
 * delays no other. Each has a thread of its own. Start reading at {@link io.sagaspring.database.Databases}.
 *
 * <p>Its public types are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.database;

import org.jspecify.annotations.NullMarked;
