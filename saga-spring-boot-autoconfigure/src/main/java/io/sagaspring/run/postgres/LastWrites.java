package io.sagaspring.run.postgres;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunLease;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers, for each run that this node executes, a server and the number of the run's journal entries that this
 * server has. A server does not lose an entry that it has. Another server may lack the entry, such as a lagging replica
 * that was promoted. So the journal must be checked before a write only if the server is a different one or unknown.
 */
final class LastWrites {

    /**
     * The SQL expression that identifies a server: the time at which it started. Two servers do not start in the same
     * microsecond. After a restart, a server counts as a different one.
     */
    private static final String NAME = "pg_catalog.pg_postmaster_start_time()";

    /**
     * The maximum number of runs to remember. If there are more, all are forgotten. The journal of a forgotten run is
     * checked at its next write, which takes longer.
     */
    private static final int MOST = 10_000;

    private final String server;
    private final Map<FencingToken, Known> byToken = new ConcurrentHashMap<>();

    /**
     * The part of a run's journal that a server is known to have.
     *
     * @param server the time at which the server started, which identifies the server
     * @param entries the number of entries that the server has
     */
    record Known(OffsetDateTime server, int entries) {}

    LastWrites() {
        this(NAME);
    }

    /** Creates an instance that identifies servers by the given expression. */
    LastWrites(String server) {
        this.server = server;
    }

    /** Returns the expression that identifies the server on which it is evaluated. */
    String server() {
        return server;
    }

    void wrote(RunLease runLease, List<JournalEntry> entries, @Nullable OffsetDateTime server) {
        wrote(runLease, runLease.positionBefore(entries) + 1 + entries.size(), server);
    }

    void wrote(RunLease runLease, int entries, @Nullable OffsetDateTime server) {
        if (server == null) {
            return;
        }
        if (byToken.size() >= MOST) {
            byToken.clear();
        }
        byToken.put(runLease.token(), new Known(server, entries));
    }

    void forget(RunLease runLease) {
        byToken.remove(runLease.token());
    }

    /** Returns a server that has the run's journal entry at this position, or null if no such server is known. */
    @Nullable
    OffsetDateTime serverWith(RunLease runLease, int position) {
        Known known = byToken.get(runLease.token());
        return known == null || known.entries() <= position ? null : known.server();
    }
}
