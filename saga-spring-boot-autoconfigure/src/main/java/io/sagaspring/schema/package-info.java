/**
 * The schema, the versions and the migration of this library's tables. If another package has an instance of {@link
 * io.sagaspring.schema.SagaSchema}, all tables of this version of the library exist. Other packages get the names of
 * tables only from such an instance. Start reading at {@link io.sagaspring.schema.SchemaInstaller}.
 *
 * <p>The public type of this package is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.schema;

import org.jspecify.annotations.NullMarked;
