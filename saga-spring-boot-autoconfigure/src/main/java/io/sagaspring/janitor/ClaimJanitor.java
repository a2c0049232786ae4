package io.sagaspring.janitor;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.stereotype.Component;

/**
 * Makes a bean the janitor of a module: it covers every claim state that the module declares. The class extends {@link
 * ScheduledClaimJanitor}.
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
     * The module.
     *
     * @return its name, as the workflows have it
     */
    String module();
}
