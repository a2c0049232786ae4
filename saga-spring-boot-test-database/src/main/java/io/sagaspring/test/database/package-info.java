/**
 * Gives every test a real PostgreSQL database. All tests of a JVM use one server, and each test class has its own
 * database. So a test sees no rows of another class, unless both classes choose to share a database. Without a server,
 * the build fails instead of skipping tests. Start reading at {@link io.sagaspring.test.database.FreshDatabase}.
 */
@NullMarked
package io.sagaspring.test.database;

import org.jspecify.annotations.NullMarked;
