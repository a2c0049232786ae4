/**
 * What keeps an application from starting. Every capability has its own words for that, and the wiring has one way to print them:
 * as Spring Boot prints its own failures.
 */
@NullMarked
package io.sagaspring.startup;

import org.jspecify.annotations.NullMarked;
