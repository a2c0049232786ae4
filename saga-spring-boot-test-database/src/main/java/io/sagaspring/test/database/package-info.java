/**
 * Gives every test a real PostgreSQL database. A build has one server, and each test class has its own database. A test
 * never shares rows with another class. Without a server, the build fails instead of skipping tests. Start reading at
 * {@link io.sagaspring.test.database.FreshDatabase}.
 */
@NullMarked
package io.sagaspring.test.database;

import org.jspecify.annotations.NullMarked;
