/**
 * SQL statements with named parameters and with a name that the database shows. The text of a statement is parsed once.
 * A call must bind every parameter exactly once; otherwise it fails before anything is sent. Start reading at {@link
 * io.sagaspring.jdbc.Sql}.
 *
 * <p>The public types of this package are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.jdbc;

import org.jspecify.annotations.NullMarked;
