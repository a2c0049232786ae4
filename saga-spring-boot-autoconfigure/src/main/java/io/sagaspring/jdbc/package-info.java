/**
 * Statements: each has a name, which the database shows, and named parameters. The text is parsed once; a call binds every
 * parameter exactly once, or fails before it is sent. Start reading at {@link io.sagaspring.jdbc.Sql}.
 */
@NullMarked
package io.sagaspring.jdbc;

import org.jspecify.annotations.NullMarked;
