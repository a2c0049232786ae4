/**
 * What a web client is told of a step that did not succeed, and of an idempotency key that stands for no new work: the right
 * status and a problem detail, whether the controller lets the exception through or returns the outcome. Start reading at
 * {@link io.sagaspring.web.Problems}.
 */
@NullMarked
package io.sagaspring.web;

import org.jspecify.annotations.NullMarked;
