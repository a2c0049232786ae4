package io.sagaspring.sample.dunning;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.Pattern;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An id of a loop or a story. It is valid as a lease's name and in a mail's subject {@code loop/story}: 1 to 100
 * characters, not only blanks, no slash and no control character.
 */
@Documented
@Constraint(validatedBy = {})
@ReportAsSingleViolation
@Pattern(regexp = "(?U)(?=.*\\S)[^/\\p{Cc}\\p{Cs}]{1,100}")
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.TYPE_USE})
@interface DunningId {

    String message() default "must have 1 to 100 characters, not all blank, without slashes and control characters";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};
}
