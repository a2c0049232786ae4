/** Entities whose ids the database spells in another way than Java. */
@NullMarked
package io.sagaspring.entity.spelled;

import org.jspecify.annotations.NullMarked;
