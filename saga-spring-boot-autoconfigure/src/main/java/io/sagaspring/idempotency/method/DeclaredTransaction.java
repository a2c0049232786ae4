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
 * The {@code @Transactional} attributes of a method with a same-transaction key. The key's transaction has already
 * begun when the method is called. Therefore some attributes would be ignored, and others would execute the work
 * outside that transaction.
 */
final class DeclaredTransaction {

    private static final AnnotationTransactionAttributeSource source = new AnnotationTransactionAttributeSource(false);

    private static final Set<Integer> JOINING = Set.of(
            TransactionDefinition.PROPAGATION_REQUIRED,
            TransactionDefinition.PROPAGATION_SUPPORTS,
            TransactionDefinition.PROPAGATION_MANDATORY);

    private DeclaredTransaction() {}

    /** Finds the faults. Each fault is the rest of a sentence that begins with the method's name. */
    static List<String> faults(Method method, Class<?> type) {
        TransactionAttribute declared = source.getTransactionAttribute(method, type);
        return declared == null ? List.of() : faults(declared);
    }

    private static List<String> faults(TransactionAttribute declared) {
        List<String> faults = new ArrayList<>();
        if (!JOINING.contains(declared.getPropagationBehavior())) {
            faults.add(
                    "has sameTransaction = true, but its propagation would execute the work outside the transaction of its key. Use REQUIRED.");
        }
        if (declared.getIsolationLevel() != TransactionDefinition.ISOLATION_DEFAULT) {
            faults.add(ignored("an isolation level", "has already made the claim"));
        }
        if (declared.getTimeout() != TransactionDefinition.TIMEOUT_DEFAULT) {
            faults.add(ignored("a timeout", "has already begun"));
        }
        if (declared.isReadOnly()) {
            faults.add(
                    "has sameTransaction = true, but its @Transactional has readOnly, which is ignored, because the transaction of the key writes the key and the reply. Remove readOnly.");
        }
        if (StringUtils.hasText(declared.getQualifier())) {
            faults.add(
                    "has sameTransaction = true and names the transaction manager '%s', but its key is committed by the application's primary transaction manager. Remove the name."
                            .formatted(declared.getQualifier()));
        }
        if (declared instanceof RuleBasedTransactionAttribute ruled
                && ruled.getRollbackRules().stream().anyMatch(NoRollbackRuleAttribute.class::isInstance)) {
            faults.add(
                    "has sameTransaction = true, but its @Transactional has exceptions that cause no rollback. Every exception frees the key, so it must also roll back the work. Instead of throwing such an exception, return a result for which 'unless' is true.");
        }
        return faults;
    }

    private static String ignored(String attribute, String why) {
        return "has sameTransaction = true, but its @Transactional has %s, which is ignored, because the transaction of the key %s. Remove it, or set it where that transaction begins."
                .formatted(attribute, why);
    }
}
