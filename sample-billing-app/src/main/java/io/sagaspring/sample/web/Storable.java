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

/** Text that PostgreSQL takes: every character but one. */
@Documented
@Constraint(validatedBy = {})
@ReportAsSingleViolation
@Pattern(regexp = "[^\\x00]*")
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER})
public @interface Storable {

    /**
     * What is said of a text that is not.
     *
     * @return the message
     */
    String message() default "must not contain the character 0";

    /**
     * When to look.
     *
     * @return the groups
     */
    Class<?>[] groups() default {};

    /**
     * For clients of the validation.
     *
     * @return the payload
     */
    Class<? extends Payload>[] payload() default {};
}
