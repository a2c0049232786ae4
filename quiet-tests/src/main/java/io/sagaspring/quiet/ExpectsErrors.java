package io.sagaspring.quiet;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names errors that a test causes. A test method fails if it does not log each of them. A class may log the errors that
 * it names, but does not have to. Annotate the class if its tests kill processes, race, or lose connections. Any other
 * error fails the class.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface ExpectsErrors {

    /** {@return one text for each error: a part of the logger's name, of the message or of the exception} */
    String[] value();
}
