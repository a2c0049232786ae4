/**
 * What the page needs beside what other clients do. The page itself is in {@code static}. Nothing of it is fetched from elsewhere, and
 * {@link io.sagaspring.sample.page.SecurityHeaders} sees to that.
 */
@NullMarked
package io.sagaspring.sample.page;

import org.jspecify.annotations.NullMarked;
