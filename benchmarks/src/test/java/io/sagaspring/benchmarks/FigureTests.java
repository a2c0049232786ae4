package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FigureTests {

    @Test
    void aRatioHasItsQuartilesInBrackets() {
        assertThat(Figure.of("0.82 (0.80–0.85)")).isEqualTo(new Figure(0.82, 0.80, 0.85, "0.82"));
    }

    @Test
    void theTextOfATimeNamesItsUnit() {
        assertThat(Figure.of("374 ms")).isEqualTo(new Figure(374, 374, 374, "374 ms"));
    }

    @Test
    void aFigureWithoutQuartilesHasNoRange() {
        assertThat(Figure.of("1")).isEqualTo(new Figure(1, 1, 1, "1"));
    }

    @Test
    void aCellWithTwoFiguresIsNamed() {
        assertThatThrownBy(() -> Figure.of("2.05 / 4.68 ms"))
                .hasMessage("The cell '2.05 / 4.68 ms' has no figure that a plot can show.");
    }
}
