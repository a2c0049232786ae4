/**
 * The errors that clients see. Each error is a problem detail and reveals no internal details of the application. Start
 * reading at {@link io.sagaspring.sample.web.Problems}.
 */
@NullMarked
package io.sagaspring.sample.web;

import org.jspecify.annotations.NullMarked;
