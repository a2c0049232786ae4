package io.sagaspring.idempotency;

import java.util.Collection;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * An expression of {@link Idempotent}, parsed once. It may read what it is given and call its methods, and nothing else:
 * no types, no constructors, no beans.
 */
public final class KeyExpression {

    private static final SpelExpressionParser parser = new SpelExpressionParser();

    private final SpelExpression expression;

    private KeyExpression(SpelExpression expression) {
        this.expression = expression;
    }

    /**
     * Parses an expression. A name that it does not know would be null, and null is no protection: it is refused.
     *
     * @param attribute the annotation's attribute, as it shows to people
     * @param source the expression
     * @param known the variables that there will be
     * @return the expression
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public static KeyExpression parse(String attribute, String source, Collection<String> known) {
        SpelExpression parsed;
        try {
            parsed = (SpelExpression) parser.parseExpression(source);
        } catch (ParseException wrong) {
            throw new IllegalArgumentException(
                    "its %s \"%s\" is no expression of SpEL: %s".formatted(attribute, source, wrong.getSimpleMessage()),
                    wrong);
        }
        TreeSet<String> unknown = new TreeSet<>();
        collectVariables(parsed.getAST(), unknown);
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("its %s \"%s\" asks for %s, and there is only %s"
                    .formatted(attribute, source, named(unknown), named(new TreeSet<>(known))));
        }
        return new KeyExpression(parsed);
    }

    /**
     * What it is at this moment.
     *
     * @param variables by name
     * @return its value
     * @throws InvalidKeyException if it cannot be told from these
     */
    public @Nullable Object value(Map<String, ? extends @Nullable Object> variables) {
        SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                .withInstanceMethods()
                .build();
        variables.forEach(context::setVariable);
        try {
            return expression.getValue(context);
        } catch (EvaluationException impossible) {
            InvalidKeyException invalid =
                    new InvalidKeyException("A part of the idempotency key cannot be told from this request.");
            invalid.initCause(impossible);
            throw invalid;
        }
    }

    private static void collectVariables(SpelNode node, Collection<String> found) {
        if (node instanceof VariableReference variable) {
            String name = variable.toStringAST().substring(1);
            if (!name.equals("this") && !name.equals("root")) {
                found.add(name);
            }
        }
        for (int child = 0; child < node.getChildCount(); child++) {
            collectVariables(node.getChild(child), found);
        }
    }

    private static String named(Collection<String> names) {
        return names.isEmpty() ? "nothing" : "#" + String.join(", #", names);
    }
}
