/**
 * The faults for which an application fails at start-up. Every capability has its own exception for them. The wiring prints all of
 * them as Spring Boot prints its own failures.
 */
@NullMarked
package io.sagaspring.startup;

import org.jspecify.annotations.NullMarked;
