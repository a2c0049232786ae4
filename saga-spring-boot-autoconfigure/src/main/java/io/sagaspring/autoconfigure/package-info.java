/**
 * Wires the library: turns the class path and the configuration into plain constructor calls. This package depends on
 * every other package, and no other package depends on it. The package neither replaces nor changes any bean of Spring
 * Boot. Start reading at {@link io.sagaspring.autoconfigure.SchemaAutoConfiguration}.
 */
@NullMarked
package io.sagaspring.autoconfigure;

import org.jspecify.annotations.NullMarked;
