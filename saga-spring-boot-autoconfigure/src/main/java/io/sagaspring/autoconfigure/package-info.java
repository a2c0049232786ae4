/**
 * Wires the library: turns the class path and the configuration into plain constructor calls. This package depends on
 * every other package, and no other package depends on it. The package replaces no bean of Spring Boot, but adds a
 * listener to each of the application's transaction managers. Start reading at {@link
 * io.sagaspring.autoconfigure.SchemaAutoConfiguration}.
 *
 * <p>Of the public types, {@code NodeName} is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.autoconfigure;

import org.jspecify.annotations.NullMarked;
