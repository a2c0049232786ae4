/** Entities of a persistence unit beside the application's first one, in which Hibernate enhances classes. */
@NullMarked
package io.sagaspring.entity.second;

import org.jspecify.annotations.NullMarked;
