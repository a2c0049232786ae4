package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No two ids have the same string form, and each string is split into the parts from which it was built. */
class IdTextTests {

    @Test
    void theTextOfTwoPartsIsSplitIntoTheSameParts() {
        List<String> words = words(4);
        Set<String> texts = new HashSet<>();
        for (String first : words) {
            for (String second : words) {
                String text = IdText.joined(List.of(first, second));

                assertThat(texts.add(text)).as("'%s' is new", text).isTrue();
                assertThat(IdText.split(text)).containsExactly(first, second);
            }
        }
    }

    /**
     * Lists all strings up to the given length. Their characters are those with a special meaning and one ordinary
     * character.
     */
    private static List<String> words(int longest) {
        List<String> words = new ArrayList<>(List.of(""));
        for (int from = 0, length = 1; length <= longest; length++) {
            int until = words.size();
            for (; from < until; from++) {
                for (char last : new char[] {'~', ',', 'a'}) {
                    words.add(words.get(from) + last);
                }
            }
        }
        return words;
    }

    @ParameterizedTest
    @ValueSource(strings = {"~", "a,b~", "~a", "a~ ,b", "~~~"})
    void aTildeThatPrecedesNeitherATildeNorACommaIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> IdText.split(text));
    }
}
