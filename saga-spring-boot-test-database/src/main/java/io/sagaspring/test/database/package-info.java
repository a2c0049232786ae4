/**
 * One way for every test to a real PostgreSQL. A build has one server, each test class a database of its own; a test
 * never shares rows with another class, and a build without a server fails instead of skipping. Start reading at
 * {@link io.sagaspring.test.database.FreshDatabase}.
 */
@NullMarked
package io.sagaspring.test.database;

import org.jspecify.annotations.NullMarked;
