/** Entities of a second persistence unit. One of their tables has the same name as a table of the first unit. */
@NullMarked
package io.sagaspring.entity.warehouse;

import org.jspecify.annotations.NullMarked;
