/**
 * Statements: each has a name, which the database shows, and named parameters. The text is parsed once; a call binds every
 * parameter exactly once, or fails before it is sent. Start reading at {@link io.sagaspring.jdbc.Sql}.
 *
 * <p>Its public types are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.jdbc;

import org.jspecify.annotations.NullMarked;
