/**
 * Faults that make the application fail at start-up. Each capability reports its faults with exception types of its
 * own. The auto-configuration prints them in the same format as Spring Boot prints its own start-up failures.
 */
@NullMarked
package io.sagaspring.startup;

import org.jspecify.annotations.NullMarked;
