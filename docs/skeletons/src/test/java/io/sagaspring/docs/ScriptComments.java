package io.sagaspring.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the comments of SQL scripts, including COMMENT ON statements, and those of YAML and properties files. */
final class ScriptComments {

    private static final Pattern LINE = Pattern.compile("^(.*?)(?:--|(?<=^|\\s)#) +(.*)$");
    private static final Pattern STATEMENT = Pattern.compile("^COMMENT ON .* IS '(.*)';$");

    private ScriptComments() {}

    /** Returns the comments of a file. Consecutive lines that contain only a comment count as one comment. */
    static List<PlainWords.Text> of(String file, String content) {
        List<PlainWords.Text> comments = new ArrayList<>();
        StringBuilder block = new StringBuilder();
        int number = 0;
        int begin = 0;
        for (String line : content.lines().toList()) {
            number++;
            Matcher comment = LINE.matcher(line);
            boolean found = comment.matches();
            if (found && comment.group(1).isBlank()) {
                begin = block.isEmpty() ? number : begin;
                block.append(comment.group(2)).append(' ');
                continue;
            }
            add(comments, file, begin, block.toString());
            block.setLength(0);
            Matcher statement = STATEMENT.matcher(line);
            if (statement.matches()) {
                add(comments, file, number, statement.group(1).replace("''", "'"));
            } else if (found) {
                add(comments, file, number, comment.group(2));
            }
        }
        add(comments, file, begin, block.toString());
        return comments;
    }

    private static void add(List<PlainWords.Text> comments, String file, int line, String text) {
        if (!text.isBlank()) {
            comments.add(new PlainWords.Text("%s:%d".formatted(file, line), text.strip()));
        }
    }
}
