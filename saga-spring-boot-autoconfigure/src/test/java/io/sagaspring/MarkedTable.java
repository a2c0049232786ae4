package io.sagaspring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A table on a page. It lists everything whose name begins with one of the names in the comment before the table. */
public record MarkedTable(String page, List<String> names) {

    private static final Path DOCUMENTS = Path.of("../docs");

    public static MarkedTable of(String page, String... names) {
        return new MarkedTable(page, List.of(names));
    }

    /** Requires the rows on the page to be the expected ones. If this fails, paste the expected rows into the page. */
    public void requireIs(String kind, String expected) throws IOException {
        String marker = "<!-- %s of %s -->".formatted(kind, String.join(", ", names));
        Matcher table = Pattern.compile(Pattern.quote(marker) + "\n((?:\\|.*\n)*)")
                .matcher(Files.readString(DOCUMENTS.resolve(page)));

        assertThat(table.find()).as("%s has a line %s", page, marker).isTrue();
        assertThat(table.group(1)).isEqualTo(expected);
    }
}
