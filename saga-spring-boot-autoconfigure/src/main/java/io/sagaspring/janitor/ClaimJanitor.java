package io.sagaspring.janitor;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.stereotype.Component;

/**
 * Marks a bean as the janitor of a module. The janitor covers every claim state that the module declares. The annotated
 * class must extend {@link ScheduledClaimJanitor}.
 *
 * <pre>{@code
 * @ClaimJanitor(module = "billing")
 * class BillingJanitor extends ScheduledClaimJanitor {}
 * }</pre>
 *
 * @since 0.1.0
 */
@Component
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ClaimJanitor {

    /**
     * The name of the module.
     *
     * @return the module's name, as the workflows declare it
     */
    String module();
}
