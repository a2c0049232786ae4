/**
 * The endpoints that only the page needs. The page itself is in {@code static}. It loads nothing from other servers,
 * and {@link io.sagaspring.sample.page.SecurityHeaders} enforces that.
 */
@NullMarked
package io.sagaspring.sample.page;

import org.jspecify.annotations.NullMarked;
