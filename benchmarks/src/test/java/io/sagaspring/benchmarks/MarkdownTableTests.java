package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class MarkdownTableTests {

    @Test
    void cellsArePlainText() {
        MarkdownTable table = MarkdownTable.of("""
                | × `runs.start(…)` | 1 caller |
                | --- | --- |
                | before [ADR 048](../docs/adr/048.md) | 0.85 (0.82–0.85) |
                | `a<b>` | 1 |
                """);

        assertThat(table.head()).containsExactly("× runs.start(…)", "1 caller");
        assertThat(table.rows()).containsExactly(List.of("before ADR 048", "0.85 (0.82–0.85)"), List.of("a<b>", "1"));
        assertThat(table.isGrouped()).isFalse();
    }

    @Test
    void anEmptyFirstCellRepeatsTheCellAbove() {
        MarkdownTable table = MarkdownTable.of("""
                | application | variant | slower by |
                | --- | --- | --- |
                | JPA | first start | 2 ms |
                | | later start | 1 ms |
                | | every start | 1 ms |
                """);

        assertThat(table.rows()).extracting(row -> row.get(0)).containsExactly("JPA", "JPA", "JPA");
        assertThat(table.isGrouped()).isTrue();
    }

    @Test
    void aCellIsFoundByTheNameOfItsColumn() {
        MarkdownTable table = MarkdownTable.of("""
                | | first time | second time |
                | --- | --- | --- |
                | speed | 0.86 | 0.81 |
                """);

        assertThat(table.cell(table.rows().get(0), "second time")).isEqualTo("0.81");
        assertThatThrownBy(() -> table.cell(table.rows().get(0), "third time"))
                .hasMessage("The table has no column 'third time', but [, first time, second time].");
    }
}
