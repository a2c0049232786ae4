package io.sagaspring.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The writing rules of this project, as far as a program can check them. */
final class PlainWords {

    /** The maximum number of words in a sentence. */
    private static final int LONGEST = 30;

    /** The minimum number of words in a sentence. Shorter texts, such as table cells, are not checked. */
    private static final int SHORTEST = 5;

    /** A Javadoc comment begins with a verb or a noun. This pattern finds clauses. */
    static final Pattern LEAD =
            Pattern.compile("^(What|Who|Which|Whether|Of|That|How|Where|When|Why)\\b.*", Pattern.DOTALL);

    /** The description of a parameter or a result begins with a noun. This pattern finds clauses. */
    static final Pattern CLAUSE = Pattern.compile(
            "^(?:(?:of|for|by|to|in|on|at|with|from|under|since|until|after) )?"
                    + "(?:what|who|whom|whose|whoever|whatever|which|whether|how|where|when|why|if|that)\\b.*"
                    + "|^(?:of|from|by) .*",
            Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

    /** A relative clause must not be the subject of a sentence. This pattern finds such sentences. */
    static final Pattern CLAUSE_AS_SUBJECT =
            Pattern.compile("^(?:Who|Whoever|What|Whatever|Whichever|Which) [^?]*[^?]$");

    /** The private words of earlier texts. The glossary has the usual terms. */
    static final Pattern BANNED = Pattern.compile(
            "\\b(?:told again|tells? again|(?:is|was|are|were|be|been) told|taken up|takes? up"
                    + "|(?:is|are|was|be|being) driven|drives (?:a|the|it)|who comes|somebody|nobody|whoever|overtaken"
                    + "|(?:of|for) one key there|refuses the start|start is refused|(?:stands|stood|standing) still"
                    + "|comes? to (?:its|an|their) end|(?:is|are|was|were|be|been) undone|undoes|undoing|an undo|its undo|the undo"
                    + "|what it does elsewhere|the keeper beats|each beat|is due work)\\b",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern FENCED =
            Pattern.compile("^ *```.*?^ *```$|^<!--.*?-->$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("!?\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern END = Pattern.compile("(?<=[.!?:])[\"*_)]*\\s+(?=[\"*_(`]*[A-Z`0-9])");

    private PlainWords() {}

    /**
     * A text and its place.
     *
     * @param place the file and, where it is known, the line
     * @param text the words
     */
    record Text(String place, String text) {

        boolean isTooLong() {
            return text.split("\\s+").length > LONGEST;
        }

        @Override
        public String toString() {
            return "%s: %s".formatted(place, text);
        }
    }

    /** Splits the paragraphs, list items and table cells of a page into sentences. Leaves out code and headings. */
    static Stream<Text> sentences(String page, String markdown) {
        List<String> blocks = new ArrayList<>();
        StringBuilder block = new StringBuilder();
        for (String line : FENCED.matcher(markdown).replaceAll("\n").lines().toList()) {
            String stripped = line.strip();
            boolean begins = stripped.isEmpty() || stripped.matches("(?:#{1,6} |[-*] |\\d+\\. |\\||> ).*");
            if (begins) {
                blocks.add(block.toString());
                block.setLength(0);
            }
            if (stripped.startsWith("|")) {
                blocks.addAll(List.of(stripped.split("\\|")));
            } else if (!stripped.startsWith("#")) {
                block.append(stripped.replaceFirst("^(?:[-*] |\\d+\\. |> )", ""))
                        .append(' ');
            }
        }
        blocks.add(block.toString());
        return blocks.stream()
                .map(text -> LINK.matcher(text).replaceAll("$1").strip())
                .flatMap(text -> Stream.of(END.split(text)))
                .map(sentence -> sentence.replaceAll("^[*_\"]+", "").strip())
                .filter(sentence -> sentence.split("\\s+").length >= SHORTEST)
                .map(sentence -> new Text(page, sentence));
    }

    static boolean isBanned(String text) {
        return BANNED.matcher(text.toLowerCase(Locale.ROOT)).find();
    }
}
