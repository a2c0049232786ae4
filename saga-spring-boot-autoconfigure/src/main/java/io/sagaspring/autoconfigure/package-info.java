/**
 * Wiring only: what Spring Boot finds on the class path and in the configuration becomes plain constructor calls. It
 * sees every other package and no other package sees it; nothing here replaces or changes a bean of Spring Boot. Start
 * reading at {@link io.sagaspring.autoconfigure.SchemaAutoConfiguration}.
 */
@NullMarked
package io.sagaspring.autoconfigure;

import org.jspecify.annotations.NullMarked;
