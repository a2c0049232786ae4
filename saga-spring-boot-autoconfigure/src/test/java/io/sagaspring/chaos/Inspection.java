package io.sagaspring.chaos;

import io.sagaspring.chaos.Journal.Entry;
import io.sagaspring.chaos.Journal.What;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Checks the result when no work is in progress, based only on the journal and the tables. It tests the guarantees, and
 * makes no assumptions about how the engine fulfils them. It shares no code with the engine, so it cannot have the same
 * faults.
 */
final class Inspection {

    private static final Set<String> CLAIM_STATES = Set.of("LEAVING", "HAULED", "RETURNING");

    private final JdbcClient database;
    private final List<Entry> journal;

    Inspection(TestDatabase database, Journal journal) {
        this.database = JdbcClient.create(database.dataSource());
        this.journal = journal.entries();
    }

    record State(long id, String status, String note, long version) {}

    record Moved(long crate, long token, String step) {}

    /** Returns true if no work is in progress. Call {@link #faults} only then. */
    static boolean isQuiet(JdbcClient database) {
        return database.sql("""
                        SELECT NOT EXISTS (SELECT 1 FROM crate WHERE status IN ('LEAVING', 'HAULED', 'RETURNING'))
                            AND NOT EXISTS (SELECT 1 FROM saga_claim) AND NOT EXISTS (SELECT 1 FROM saga_due)""").query(Boolean.class).single();
    }

    /** Returns every fault. */
    List<String> faults() {
        List<String> faults = new ArrayList<>();
        faults.addAll(overlaps());
        faults.addAll(crates());
        faults.addAll(promises());
        return faults;
    }

    /**
     * Finds two simultaneous actions on one crate, and an action whose token is not greater than the token of the
     * previous action.
     */
    private List<String> overlaps() {
        List<String> faults = new ArrayList<>();
        Map<Long, Entry> open = new HashMap<>();
        Map<Long, Long> latest = new HashMap<>();
        for (Entry entry : journal) {
            switch (entry.what()) {
                case START -> {
                    Entry other = open.put(entry.crate(), entry);
                    if (other != null) {
                        faults.add("%s began while %s was at work".formatted(entry, other));
                    }
                    long token = Long.parseLong(entry.key());
                    Long before = latest.put(entry.crate(), token);
                    if (before != null && before >= token) {
                        faults.add("%s began with a token that is not above %d".formatted(entry, before));
                    }
                }
                case END -> open.remove(entry.crate());
                case DEAD -> open.values().removeIf(each -> each.node().equals(entry.node()));
                default -> {}
            }
        }
        return faults;
    }

    /** Finds crates whose writes, status and version contradict each other. */
    private List<String> crates() {
        List<String> faults = new ArrayList<>();
        Map<Long, List<Moved>> moves = new HashMap<>();
        database.sql("SELECT crate, token, step FROM moved ORDER BY token")
                .query(Moved.class)
                .list()
                .forEach(move -> moves.computeIfAbsent(move.crate(), any -> new ArrayList<>())
                        .add(move));
        for (State crate : database.sql("SELECT id, status, note, version FROM crate")
                .query(State.class)
                .list()) {
            List<Moved> crateMoves = moves.getOrDefault(crate.id(), List.of());
            Moved last = crateMoves.isEmpty() ? null : crateMoves.get(crateMoves.size() - 1);
            if (CLAIM_STATES.contains(crate.status())) {
                faults.add("%s is stuck".formatted(crate));
            }
            if (!crate.status().equals(last == null || last.step().equals("fetch") ? "HOME" : "AWAY")) {
                faults.add("%s does not have the status after %s".formatted(crate, last));
            }
            if (!crate.note().equals(last == null ? "" : Long.toString(last.token()))) {
                faults.add("%s does not have the note of %s".formatted(crate, last));
            }
            // A claim and its end are two changes. The end may be a success, a release or a revert.
            if (crate.version() % 2 != 0 || crate.version() < 2L * crateMoves.size()) {
                faults.add("%s has a version that %d moves do not explain".formatted(crate, crateMoves.size()));
            }
            for (int each = 1; each < crateMoves.size(); each++) {
                if (crateMoves.get(each).step().equals("fetch")
                        == crateMoves.get(each - 1).step().equals("fetch")) {
                    faults.add("%s follows %s".formatted(crateMoves.get(each), crateMoves.get(each - 1)));
                }
            }
        }
        return faults;
    }

    /** Finds acknowledged successes that are missing, and after-effects that are missing or follow no step. */
    private List<String> promises() {
        List<String> faults = new ArrayList<>();
        Set<String> written = new HashSet<>();
        Map<Long, Long> shipped = new HashMap<>();
        for (Moved move : database.sql("SELECT crate, token, step FROM moved")
                .query(Moved.class)
                .list()) {
            if (!written.add(Long.toString(move.token()))) {
                faults.add("%s exists twice".formatted(move));
            }
            if (move.step().equals("ship")) {
                shipped.merge(move.crate(), 1L, Long::sum);
            }
        }
        Map<Long, Set<String>> arrived = new HashMap<>();
        for (Entry entry : journal) {
            if (entry.what() == What.DONE && !written.contains(entry.key())) {
                faults.add("%s was acknowledged and is missing".formatted(entry));
            }
            if (entry.what() == What.ARRIVED) {
                arrived.computeIfAbsent(entry.crate(), any -> new HashSet<>()).add(entry.key());
            }
        }
        Set<Long> all = new HashSet<>(shipped.keySet());
        all.addAll(arrived.keySet());
        for (long crate : all) {
            int deliveries = arrived.getOrDefault(crate, Set.of()).size();
            long due = shipped.getOrDefault(crate, 0L);
            if (deliveries != due) {
                faults.add("crate %d was shipped %d times, and %d of them arrived".formatted(crate, due, deliveries));
            }
        }
        return faults;
    }

    long count(What what) {
        return journal.stream().filter(entry -> entry.what() == what).count();
    }

    State crate(long id) {
        return database.sql("SELECT id, status, note, version FROM crate WHERE id = ?")
                .param(id)
                .query(State.class)
                .single();
    }

    List<Moved> moves(long id) {
        return database.sql("SELECT crate, token, step FROM moved WHERE crate = ? ORDER BY token")
                .param(id)
                .query(Moved.class)
                .list();
    }
}
