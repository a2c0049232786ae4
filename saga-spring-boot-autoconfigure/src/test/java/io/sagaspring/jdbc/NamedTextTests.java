package io.sagaspring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedTextTests {

    @Test
    void aParameterBecomesAQuestionMark() {
        assertThat(NamedText.of("WHERE id = :id AND token=:token_2"))
                .isEqualTo(new NamedText("WHERE id = ? AND token=?", List.of("id", "token_2")));
    }

    @Test
    void aRepeatedNameBecomesAParameterAtEachPlace() {
        assertThat(NamedText.of("(:a, :b, :a)")).isEqualTo(new NamedText("(?, ?, ?)", List.of("a", "b", "a")));
    }

    @Test
    void dollarSignsInsideANameDoNotBeginQuotedText() {
        assertThat(NamedText.of("FROM legacy$order$t WHERE a$b$c = :d AND $1 = :e"))
                .isEqualTo(new NamedText("FROM legacy$order$t WHERE a$b$c = ? AND $1 = ?", List.of("d", "e")));
    }

    @Test
    void aCastIsNotAParameter() {
        assertThat(NamedText.of("unnest(:ids::text[], :tokens::bigint[]), c::pg_catalog.xid8"))
                .isEqualTo(
                        new NamedText("unnest(?::text[], ?::bigint[]), c::pg_catalog.xid8", List.of("ids", "tokens")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'it''s :none?'",
                "\"a:b\".\"c?\"",
                "nextval('\"a:b\".saga_token')",
                "1 -- :none?\n + 1",
                "1 -- :none?",
                "/* :none? /* :deeper */ :still */ 1",
                "/* :none",
                "$$ :none? $$",
                "$tag$ $$ :none? $tag$",
                "'never :closed",
                "a[1:2]",
                "5 - 3 / 1",
                "x ->> 'a'",
                ""
            })
    void quotedTextAndCommentsAreNotChanged(String text) {
        assertThat(NamedText.of(text)).isEqualTo(new NamedText(text, List.of()));
    }

    @Test
    void aParameterMayFollowAQuotedTextOrAComment() {
        assertThat(NamedText.of("'a'||:b||\"c\"/*d*/:e--f\n:g").text()).isEqualTo("'a'||?||\"c\"/*d*/?--f\n?");
        assertThat(NamedText.of("$1 + :b + $x$ $x$ || :c").text()).isEqualTo("$1 + ? + $x$ $x$ || ?");
    }

    @Test
    void aQuestionMarkIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NamedText.of("WHERE id = ?"))
                .withMessageContaining("WHERE id = ?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "claim", "Claim.flip", "claim.*/ DROP", "claim.flip-", "claim flip"})
    void anInvalidStatementNameIsRefused(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> Sql.named(name, "SELECT 1"));
    }

    @Test
    void theStatementNameFollowsTheFirstWord() {
        assertThat(Sql.named("claim.still-there", "SELECT :a").text())
                .isEqualTo("SELECT /* saga:claim.still-there */ ?");
        assertThatIllegalArgumentException().isThrownBy(() -> Sql.named("claim.find", "(SELECT 1)"));
    }
}
