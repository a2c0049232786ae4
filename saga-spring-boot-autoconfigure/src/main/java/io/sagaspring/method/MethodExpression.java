package io.sagaspring.method;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * A parsed expression of an annotation. The expression can read its variables and call their methods. The expression
 * cannot use beans, types or constructors.
 *
 * @since 0.1.0
 */
public final class MethodExpression {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final MeaningfulTexts TEXTS = new MeaningfulTexts();

    private final SpelExpression expression;

    private MethodExpression(SpelExpression expression) {
        this.expression = expression;
    }

    /** Thrown if an expression cannot be parsed, or uses something that is not available. */
    public static final class Invalid extends Exception {

        private static final long serialVersionUID = 1L;

        Invalid(String sentence) {
            super(sentence);
        }
    }

    /**
     * Parses an expression, and checks that it uses only the available variables and their members. Without this check,
     * an unknown variable would be null when the expression is evaluated, and a null key protects nothing.
     *
     * @param text the expression
     * @param variables the names of the available variables
     * @return the expression
     * @throws Invalid if the expression cannot be parsed, or uses anything else; the message is a sentence with the
     *     reason
     */
    public static MethodExpression parse(String text, Set<String> variables) throws Invalid {
        SpelExpression expression;
        try {
            expression = PARSER.parseRaw(text);
        } catch (ParseException | IllegalArgumentException unreadable) {
            throw new Invalid("it cannot be parsed: %s.".formatted(unreadable.getMessage()));
        }
        MethodExpression parsed = new MethodExpression(expression);
        parsed.check(expression.getAST(), variables, true);
        return parsed;
    }

    private void check(SpelNode node, Set<String> variables, boolean ofNothing) throws Invalid {
        if (node instanceof VariableReference || node instanceof FunctionReference) {
            String name = node.toStringAST().substring(1).replaceFirst("\\(.*", "");
            boolean element = name.equals("this") && !ofNothing;
            if (!element && (node instanceof FunctionReference || !variables.contains(name))) {
                throw new Invalid("it uses #%s, which does not exist here. %s".formatted(name, available(variables)));
            }
        }
        boolean isElsewhere =
                node instanceof BeanReference || node instanceof TypeReference || node instanceof ConstructorReference;
        boolean isMember =
                node instanceof PropertyOrFieldReference || node instanceof MethodReference || node instanceof Indexer;
        if (isElsewhere || (isMember && ofNothing)) {
            throw new Invalid("'%s' is not a variable. %s".formatted(node.toStringAST(), available(variables)));
        }
        boolean isChain = node instanceof CompoundExpression;
        for (int child = 0; child < node.getChildCount(); child++) {
            boolean stillOfNothing = isChain ? ofNothing && child == 0 : isChildOfNothing(node, ofNothing);
            check(node.getChild(child), variables, stillOfNothing);
        }
    }

    /**
     * Returns true if the node's children are evaluated without a target object. This is always true of the arguments
     * of a method call, and of an index in brackets, even if the call or the indexing itself has a target object.
     */
    private static boolean isChildOfNothing(SpelNode node, boolean ofNothing) {
        return node instanceof MethodReference || node instanceof Indexer || ofNothing;
    }

    private static String available(Set<String> variables) {
        return variables.isEmpty()
                ? "There are no variables."
                : "The variables are #%s.".formatted(String.join(", #", new TreeSet<>(variables)));
    }

    /**
     * Evaluates the expression.
     *
     * @param variables the variables by name
     * @return the value
     * @throws EvaluationException if the expression cannot be evaluated with these variables
     */
    public @Nullable Object evaluate(Map<String, ? extends @Nullable Object> variables) {
        SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                .withInstanceMethods()
                .withTypeConverter(TEXTS)
                .build();
        variables.forEach(context::setVariable);
        return expression.getValue(context);
    }
}
