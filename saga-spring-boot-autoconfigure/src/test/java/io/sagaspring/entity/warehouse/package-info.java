/** Entities of a second persistence unit whose table bears the name of a table of the first one. */
@NullMarked
package io.sagaspring.entity.warehouse;

import org.jspecify.annotations.NullMarked;
