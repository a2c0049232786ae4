/**
 * The errors that clients see: always a problem detail, and never an internal of the application. Start reading at
 * {@link io.sagaspring.sample.web.Problems}.
 */
@NullMarked
package io.sagaspring.sample.web;

import org.jspecify.annotations.NullMarked;
