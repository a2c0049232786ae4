package io.sagaspring.dashboard;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Sql;
import java.time.Instant;
import java.util.Objects;

/** The clock of the database, so that ages on the page do not depend on the clock of a node or of a person. */
record DatabaseClock(OwnTransactions own) {

    private static final Sql NOW = Sql.named("dashboard.now", "SELECT pg_catalog.clock_timestamp() AS at");

    Instant now() {
        return own.single(connection -> Objects.requireNonNull(
                NOW.on(connection).first(row -> row.instant("at")).orElse(null)));
    }
}
