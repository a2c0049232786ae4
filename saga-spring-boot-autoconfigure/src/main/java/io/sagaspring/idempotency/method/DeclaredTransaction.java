package io.sagaspring.idempotency.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.NoRollbackRuleAttribute;
import org.springframework.transaction.interceptor.RuleBasedTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.util.StringUtils;

/**
 * What a method says of its transaction, where that is the one of its key. It has begun when the method is called, so that
 * some of it would be ignored, and some would take the work out of it.
 */
final class DeclaredTransaction {

    private static final AnnotationTransactionAttributeSource source = new AnnotationTransactionAttributeSource(false);

    private static final Set<Integer> JOINING = Set.of(
            TransactionDefinition.PROPAGATION_REQUIRED,
            TransactionDefinition.PROPAGATION_SUPPORTS,
            TransactionDefinition.PROPAGATION_MANDATORY);

    private DeclaredTransaction() {}

    /** Sentences without a subject. */
    static List<String> faults(Method method, Class<?> type) {
        TransactionAttribute said = source.getTransactionAttribute(method, type);
        return said == null ? List.of() : faults(said);
    }

    private static List<String> faults(TransactionAttribute said) {
        List<String> faults = new ArrayList<>();
        if (!JOINING.contains(said.getPropagationBehavior())) {
            faults.add(
                    "is sameTransaction, and its propagation would take the work out of the transaction of its key. Leave it at REQUIRED.");
        }
        if (said.getIsolationLevel() != TransactionDefinition.ISOLATION_DEFAULT) {
            faults.add(ignored("an isolation level", "in which the claim is made first"));
        }
        if (said.getTimeout() != TransactionDefinition.TIMEOUT_DEFAULT) {
            faults.add(ignored("a timeout", "which has begun before"));
        }
        if (said.isReadOnly()) {
            faults.add(ignored("readOnly", "which writes the key and the reply"));
        }
        if (StringUtils.hasText(said.getQualifier())) {
            faults.add(
                    "is sameTransaction, and names the transaction manager '%s', but its key is committed by the application's primary one. Remove the name."
                            .formatted(said.getQualifier()));
        }
        if (said instanceof RuleBasedTransactionAttribute ruled
                && ruled.getRollbackRules().stream().anyMatch(NoRollbackRuleAttribute.class::isInstance)) {
            faults.add(
                    "is sameTransaction, and has exceptions without a rollback, but every exception frees its key, and must undo the work. Return such a result, and name it in unless.");
        }
        return faults;
    }

    private static String ignored(String attribute, String why) {
        return "is sameTransaction, and its @Transactional has %s, which is ignored in the transaction of its key, %s. Remove it, or say it where that transaction begins."
                .formatted(attribute, why);
    }
}
