package io.sagaspring.chaos;

import io.sagaspring.chaos.Journal.What;
import io.sagaspring.idempotency.Idempotent;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Executes requests with idempotency keys. Each request must be executed once. The journal records each credit. */
class Teller {

    /** The key owner on whose behalf the current thread works. */
    static final ThreadLocal<String> OWNER = ThreadLocal.withInitial(() -> "nobody");

    private final JdbcClient database;
    private final Journal journal;
    private final String name;

    Teller(JdbcClient database, Journal journal, String name) {
        this.database = database;
        this.journal = journal;
        this.name = name;
    }

    /**
     * A reply. No two replies are alike.
     *
     * @param owner the key owner on whose behalf the reply was written
     * @param number the number of the request
     * @param mark a random value
     */
    record Slip(String owner, long number, String mark) {

        static Slip fresh(long number) {
            return new Slip(OWNER.get(), number, UUID.randomUUID().toString());
        }

        @Override
        public String toString() {
            return "%s %d %s".formatted(owner, number, mark);
        }
    }

    @Idempotent(requestId = "'request-' + #number", operation = "'credit'", patience = "1m")
    public Slip credit(long number) {
        journal.write(What.START, name, number, OWNER.get());
        return Slip.fresh(number);
    }

    /** Writes a deposit to the database, in one commit with the reply. */
    @Idempotent(requestId = "'request-' + #number", operation = "'deposit'", sameTransaction = true)
    public Slip deposit(long number) {
        Slip slip = Slip.fresh(number);
        database.sql("INSERT INTO deposit (number, slip) VALUES (?, ?)")
                .param(number)
                .param(slip.toString())
                .update();
        return slip;
    }
}
