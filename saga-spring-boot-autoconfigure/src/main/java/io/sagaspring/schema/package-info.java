/**
 * The tables of this library: where they live, which version they have, and who brings them there. Whoever holds a
 * {@link io.sagaspring.schema.SagaSchema} holds the proof that all tables of this version exist; nothing else names a
 * table. Start reading at {@link io.sagaspring.schema.SchemaInstaller}.
 */
@NullMarked
package io.sagaspring.schema;

import org.jspecify.annotations.NullMarked;
