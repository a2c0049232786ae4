/**
 * The tables of this library: where they live, which version they have, and who brings them there. Whoever holds a
 * {@link io.sagaspring.schema.SagaSchema} holds the proof that all tables of this version exist; nothing else names a
 * table. Start reading at {@link io.sagaspring.schema.SchemaInstaller}.
 *
 * <p>Its public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.schema;

import org.jspecify.annotations.NullMarked;
