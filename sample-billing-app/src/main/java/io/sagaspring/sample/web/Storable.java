package io.sagaspring.sample.web;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.Pattern;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Text that PostgreSQL can store, which is any text without the character NUL. */
@Documented
@Constraint(validatedBy = {})
@ReportAsSingleViolation
@Pattern(regexp = "[^\\x00]*")
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER})
public @interface Storable {

    /**
     * Returns the message for text that contains the character NUL.
     *
     * @return the message
     */
    String message() default "must not contain the character NUL";

    /**
     * Returns the validation groups.
     *
     * @return the groups
     */
    Class<?>[] groups() default {};

    /**
     * Returns the payload for clients of the validation.
     *
     * @return the payload
     */
    Class<? extends Payload>[] payload() default {};
}
