package io.sagaspring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.expression.EvaluationException;

/** An expression may use only its variables. An unknown variable would be null, and a null key protects nothing. */
class MethodExpressionTests {

    public record Item(String name, int cents) {

        public String with(String more) {
            return name + more;
        }
    }

    private static final Map<String, Object> VARIABLES = Map.of(
            "id",
            "r-1",
            "item",
            new Item("book", 5),
            "items",
            List.of(new Item("book", 5), new Item("pen", 1)),
            "by",
            Map.of("key", "value", "r-1", "first"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "#id | r-1",
                "'literal' | literal",
                "#item.name | book",
                "#item.name() | book",
                "#item.with(#id).length() | 7",
                "#by['key'] | value",
                "#by[#id] | first",
                "#items[1].name | pen",
                "#items.![name] | [book, pen]",
                "#items.![#this.name] | [book, pen]",
                "#items.?[cents > 1].size() | 1",
                "#items.![with(#id)] | [bookr-1, penr-1]",
                "'pay-' + #id | pay-r-1"
            })
    void anExpressionMayReadAndCallItsVariables(String expression, String value) throws Exception {
        assertThat(MethodExpression.parse(expression, VARIABLES.keySet()).evaluate(VARIABLES))
                .hasToString(value);
    }

    /** The default string form of an object differs each time. */
    @ParameterizedTest
    @ValueSource(strings = {"'loop/' + #mute", "#mute + '/story'"})
    void anObjectWithoutItsOwnToStringIsRefusedAsText(String expression) throws Exception {
        MethodExpression parsed = MethodExpression.parse(expression, Set.of("mute"));

        assertThatExceptionOfType(EvaluationException.class)
                .isThrownBy(() -> parsed.evaluate(Map.of("mute", new Object())))
                .withMessageContaining("java.lang.Object does not override toString");
        assertThat(parsed.evaluate(Map.of("mute", 7))).asString().contains("7");
        assertThat(parsed.evaluate(Map.of("mute", new Item("book", 5))))
                .asString()
                .contains("Item[name=book, cents=5]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#unknown",
                "#id + #unknown",
                "#item.with(#unknown)",
                "#by[#unknown]",
                "#items.![#unknown]",
                "#items.?[#unknown == name]",
                "#this",
                "#root",
                "'a' + #this",
                "#item.with(#this)",
                "#unknown()",
                "#id()"
            })
    void anUnknownVariableOrFunctionIsRefused(String expression) {
        assertThatExceptionOfType(MethodExpression.Invalid.class)
                .isThrownBy(() -> MethodExpression.parse(expression, VARIABLES.keySet()))
                .withMessageContaining(", which does not exist here.")
                .withMessageContaining("The variables are #by, #id, #item, #items.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "@dataSource",
                "#item.with(@dataSource)",
                "T(java.lang.System)",
                "T(java.lang.System).getenv()",
                "new java.lang.String('a')",
                "#items.![new java.lang.String('a')]",
                "name",
                "name.length",
                "with('a')",
                "[0]",
                "['key']",
                "#item.with(name)",
                "#by[with('a')]",
                "#id + name",
                "![name]",
                "?[cents > 1]"
            })
    void anExpressionThatUsesMoreThanItsVariablesIsRefused(String expression) {
        assertThatExceptionOfType(MethodExpression.Invalid.class)
                .isThrownBy(() -> MethodExpression.parse(expression, VARIABLES.keySet()))
                .withMessageContaining("is not a variable");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#id +", " ", "#id #id", "'open", "\u00a7"})
    void aMalformedExpressionIsRefused(String expression) {
        assertThatExceptionOfType(MethodExpression.Invalid.class)
                .isThrownBy(() -> MethodExpression.parse(expression, VARIABLES.keySet()))
                .withMessageContaining("it cannot be parsed");
    }

    @Test
    void theMessageSaysThatThereAreNoVariables() {
        assertThatExceptionOfType(MethodExpression.Invalid.class)
                .isThrownBy(() -> MethodExpression.parse("#id", Set.of()))
                .withMessageContaining("There are no variables.");
    }

    @Test
    void anEvaluationThatFailsThrowsAnException() throws Exception {
        MethodExpression missing = MethodExpression.parse("#item.weight", VARIABLES.keySet());

        assertThatExceptionOfType(EvaluationException.class).isThrownBy(() -> missing.evaluate(VARIABLES));
    }
}
