package io.sagaspring.jdbc;

import java.sql.Connection;
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
 * <p>The name is sent in a comment after the first word: {@code DELETE /* saga:due.done *}{@code / FROM …}. The server
 * shows the name in its log, in {@code pg_stat_activity} and in {@code pg_stat_statements}. Keep a statement in a
 * field, because creating it parses its text.
 *
 * @since 0.1.0
 */
public final class Sql {

    private static final Pattern NAME = Pattern.compile("[a-z]+(\\.[a-z]+(-[a-z]+)*)+");

    private static final Pattern FIRST_WORD = Pattern.compile("[A-Z]+(?= )");

    private static final String USE_INDEXES = "SELECT pg_catalog.set_config('enable_seqscan', 'off', true);";

    private final String text;
    private final Parameters parameters;

    /** True if the text begins with {@link #USE_INDEXES}. The first result is then not a result of this statement. */
    private final boolean usesIndexes;

    private Sql(String text, Parameters parameters, boolean usesIndexes) {
        this.text = text;
        this.parameters = parameters;
        this.usesIndexes = usesIndexes;
    }

    /**
     * Parses a statement.
     *
     * @param name the name that the database shows, in lower case, such as {@code due.done}
     * @param text the statement, with parameters in the form {@code :name}
     * @return the statement
     * @throws IllegalArgumentException if the name does not consist of lower-case words with dots, or the text contains
     *     a {@code ?} or does not begin with a keyword in upper case
     */
    public static Sql named(String name, String text) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is not a valid statement name. Write lower-case words with dots, such as due.done."
                            .formatted(name));
        }
        NamedText parsed = NamedText.of(text);
        Matcher word = FIRST_WORD.matcher(parsed.text());
        if (!word.lookingAt()) {
            throw new IllegalArgumentException("A statement must begin with an upper-case keyword: " + text);
        }
        // The comment follows the first word, because pg_stat_statements of PostgreSQL 18 drops leading comments.
        String named =
                "%s /* saga:%s */%s".formatted(word.group(), name, parsed.text().substring(word.end()));
        return new Sql(named, new Parameters(parsed.parameters()), false);
    }

    /**
     * Appends a statement. The server receives both in one message, and executes both or neither.
     *
     * @param next the statement to execute after this one
     * @return both statements, each with its name; a parameter that occurs in both is bound once
     */
    public Sql then(Sql next) {
        return new Sql(text + ";" + next.text, parameters.then(next.parameters), usesIndexes);
    }

    /**
     * Lets the server scan a whole table only if it can use no index. For a small table, a scan is cheaper. But the
     * server keeps a plan until it analyzes the table again, and meanwhile the table may have grown. The setting ends
     * with the transaction, so do not use this statement in a transaction of the application.
     *
     * @return this statement, with the setting in the same message; the statement must return rows, and no other statement
     *     may be put before it
     */
    public Sql usingIndexes() {
        return new Sql(USE_INDEXES + text, parameters, true);
    }

    /**
     * Returns the text that is sent to the server.
     *
     * @return the text with the statement's name, and with a {@code ?} in place of each parameter
     */
    public String text() {
        return text;
    }

    /**
     * Begins a call of this statement.
     *
     * @param connection the connection to use
     * @return a call whose parameters are not bound yet
     */
    public SqlCall on(Connection connection) {
        return new SqlCall(connection, text, parameters, usesIndexes);
    }
}
