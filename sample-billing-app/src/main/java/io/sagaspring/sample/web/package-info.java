/**
 * What clients are told when something is not as they wanted: always a problem detail, and never how we are built. Start
 * reading at {@link io.sagaspring.sample.web.Problems}.
 */
@NullMarked
package io.sagaspring.sample.web;

import org.jspecify.annotations.NullMarked;
