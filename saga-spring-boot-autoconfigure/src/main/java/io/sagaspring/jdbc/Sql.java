package io.sagaspring.jdbc;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement with a name and named parameters:
 *
 * <pre>{@code
 * private final Sql done = Sql.named("due.done", "DELETE FROM saga_due WHERE id = :id AND token = :token");
 *
 * boolean done(Connection connection, long id, long token) throws SQLException {
 *     return done.on(connection).with("id", id).with("token", token).update() == 1;
 * }
 * }</pre>
 *
 * <p>The name is sent in a comment behind the first word: {@code DELETE /* saga:due.done *}{@code / FROM …}. The server shows it
 * in its log, in {@code pg_stat_activity} and in {@code pg_stat_statements}. Keep a statement in a field: its text is parsed
 * when it is made.
 *
 * @since 0.1.0
 */
public final class Sql {

    private static final Pattern NAME = Pattern.compile("[a-z]+(\\.[a-z]+(-[a-z]+)*)+");

    private static final Pattern FIRST_WORD = Pattern.compile("[A-Z]+(?= )");

    private final String text;
    private final List<String> parameters;

    private Sql(String text, List<String> parameters) {
        this.text = text;
        this.parameters = parameters;
    }

    /**
     * Parses a statement.
     *
     * @param name the name that the database shows, in lower case: {@code due.done}
     * @param text the statement, whose parameters are written {@code :name}
     * @return the statement
     * @throws IllegalArgumentException if the name could not stand in a comment, the text has a {@code ?}, or it begins with no word
     */
    public static Sql named(String name, String text) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("'%s' is no name of a statement.".formatted(name));
        }
        NamedText parsed = NamedText.of(text);
        Matcher word = FIRST_WORD.matcher(parsed.text());
        if (!word.lookingAt()) {
            throw new IllegalArgumentException("A statement begins with a word: " + text);
        }
        // Behind the first word: pg_stat_statements of PostgreSQL 18 drops a comment that stands before it.
        String named =
                "%s /* saga:%s */%s".formatted(word.group(), name, parsed.text().substring(word.end()));
        return new Sql(named, parsed.parameters());
    }

    /**
     * Appends a statement. The server gets both as one message, and makes both or neither.
     *
     * @param next the statement that is executed after this one
     * @return both, each with its name; a parameter that both have is one
     */
    public Sql then(Sql next) {
        List<String> all = new ArrayList<>(parameters);
        all.addAll(next.parameters);
        return new Sql(text + ";" + next.text, List.copyOf(all));
    }

    /**
     * Returns what is sent.
     *
     * @return the text with its name, and with {@code ?} for each place of a parameter
     */
    public String text() {
        return text;
    }

    /**
     * Begins a call.
     *
     * @param connection the connection to send it on
     * @return to be given the parameters
     */
    public SqlCall on(Connection connection) {
        return new SqlCall(connection, text, parameters);
    }
}
