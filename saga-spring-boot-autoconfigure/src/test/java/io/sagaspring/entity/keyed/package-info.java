/** Entities whose composite ids have several spellings, or a string form that is easily misread. */
@org.jspecify.annotations.NullMarked
package io.sagaspring.entity.keyed;
