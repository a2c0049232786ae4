/** Entities whose ids have a different spelling in the database than in Java. */
@NullMarked
package io.sagaspring.entity.spelled;

import org.jspecify.annotations.NullMarked;
