/** Entities whose composite ids have several spellings or a text that is easily mistaken. */
@org.jspecify.annotations.NullMarked
package io.sagaspring.entity.keyed;
