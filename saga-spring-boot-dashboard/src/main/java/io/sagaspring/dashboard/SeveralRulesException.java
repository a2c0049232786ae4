package io.sagaspring.dashboard;

import io.sagaspring.startup.StartupFaultException;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;

/** Reports several beans of the application that decide the same question. */
final class SeveralRulesException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    private SeveralRulesException(Class<?> type, Collection<String> names) {
        super(
                "The dashboard asks one bean of the type %s what a person may do or see"
                        .formatted(type.getSimpleName()),
                List.of("There are %s such beans: %s.".formatted(names.size(), String.join(", ", names))),
                "Remove all but one of them, or annotate one with @Primary.");
    }

    /** Requires that the application has no such bean, or one, or a primary one. */
    static void requireOne(ObjectProvider<?> beans, Class<?> type) {
        try {
            beans.getIfAvailable();
        } catch (NoUniqueBeanDefinitionException several) {
            Collection<String> names = several.getBeanNamesFound();
            throw new SeveralRulesException(type, names == null ? List.of() : new TreeSet<>(names));
        }
    }
}
