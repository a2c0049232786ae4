package io.sagaspring.chaos;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.sagaspring.chaos.EffectLedger.Line;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Checks the result of the runs ({@link Errand} and {@link Answer}) when no work is in progress, based only on the
 * ledger and the tables. It tests the guarantees, and makes no assumptions about how the engine fulfils them. It shares
 * no code with the engine, so it cannot have the same faults.
 */
final class RunInspection {

    /**
     * A number of crashes that allows any number of repeated effects. Used by tests in which connections are lost but
     * no node dies.
     */
    static final int ANY_NUMBER = Integer.MAX_VALUE - 1;

    private final JdbcClient database;
    private final EffectLedger ledger;

    RunInspection(DataSource database, EffectLedger ledger) {
        this.database = JdbcClient.create(database);
        this.ledger = ledger;
    }

    /** Creates the tables that are inspected. */
    static void create(DataSource database, EffectLedger ledger) {
        JdbcClient.create(database)
                .sql("CREATE TABLE booked (run uuid NOT NULL, step text NOT NULL, node text NOT NULL)")
                .update();
        ledger.create();
    }

    record Found(
            UUID id,
            String run,
            String state,
            String input,
            @Nullable String node,
            @Nullable String error) {

        boolean isErrand() {
            return run.equals("errand");
        }

        List<String> effects() {
            return isErrand() ? Errand.EFFECTS : Answer.EFFECTS;
        }

        List<String> bookings() {
            if (!isErrand()) {
                return Answer.BOOKINGS;
            }
            List<String> all = new ArrayList<>(Errand.BOOKINGS);
            if (Errand.startsAnswer(input)) {
                all.add("ask");
            }
            return all;
        }
    }

    record Journaled(
            UUID run,
            int position,
            String step,
            String call,
            String mark,
            @Nullable String value,
            long token) {}

    record Booked(UUID run, String step, String node) {}

    List<Found> runs() {
        return database.sql("""
                        SELECT id, run, state, trim('"' FROM convert_from(input, 'UTF8')) AS input, node, error
                        FROM saga_run ORDER BY id""").query(Found.class).list();
    }

    List<Journaled> journal() {
        return database.sql("""
                        SELECT run_id AS run, position, step, call, mark, convert_from(payload, 'UTF8') AS value, token
                        FROM saga_step ORDER BY run_id, position""").query(Journaled.class).list();
    }

    List<Booked> booked() {
        return database.sql("SELECT run, step, node FROM booked")
                .query(Booked.class)
                .list();
    }

    /**
     * Returns how many effects repeat an earlier effect. An effect is repeated if its first result was not journaled.
     */
    long repeated() {
        List<Line> once = ledger.all().stream()
                .filter(line -> !line.step().equals(Errand.HAGGLE))
                .toList();
        return once.size() - once.stream().map(Line::idempotencyKey).distinct().count();
    }

    /** Returns the number of runs in each commit in which several runs were journaled. */
    List<Integer> sharedCommits() {
        return database.sql("""
                        SELECT count(DISTINCT run_id) FROM saga_step GROUP BY xmin::text
                        HAVING count(DISTINCT run_id) > 1 ORDER BY 1""").query(Integer.class).list();
    }

    boolean isQuiet() {
        return database.sql("SELECT NOT EXISTS (SELECT FROM saga_run WHERE ended_at IS NULL)")
                .query(Boolean.class)
                .single();
    }

    boolean hasEnded(UUID run) {
        return database.sql("SELECT ended_at IS NOT NULL FROM saga_run WHERE id = ?")
                .param(run)
                .query(Boolean.class)
                .single();
    }

    /** Returns true if the run waits for the signal {@code word}. */
    boolean needsTheWord(UUID run) {
        return database.sql("""
                        SELECT EXISTS (SELECT FROM saga_run WHERE id = ? AND state = 'waiting')
                            AND EXISTS (SELECT FROM saga_step WHERE run_id = ? AND step = 'word' AND mark = 'WAITING')""").params(run, run).query(Boolean.class).single();
    }

    /**
     * Returns every fault.
     *
     * @param known the runs whose start was acknowledged to a client
     * @param crashes the number of processes that have died
     */
    List<String> faults(Set<UUID> known, int crashes) {
        List<Found> runs = runs();
        List<String> faults = new ArrayList<>(ends(runs, known));
        faults.addAll(withoutRun(runs));
        Map<UUID, List<Journaled>> journals = journal().stream().collect(groupingBy(Journaled::run));
        Map<UUID, List<Line>> effects = ledger.all().stream().collect(groupingBy(Line::run));
        Map<UUID, List<Booked>> booked = booked().stream().collect(groupingBy(Booked::run));
        for (Found run : runs) {
            List<Journaled> journal = journals.getOrDefault(run.id(), List.of());
            faults.addAll(journal(run, journal));
            faults.addAll(bookings(run, booked.getOrDefault(run.id(), List.of())));
            faults.addAll(effects(run, journal, effects.getOrDefault(run.id(), List.of()), crashes));
        }
        return faults;
    }

    /**
     * Finds labels that neither a start nor a journal entry has set, and labels of a start or an entry that are
     * missing.
     */
    List<String> faultsOfLabels() {
        List<String> expected = new ArrayList<>();
        for (Found run : runs()) {
            Map<String, String> labels = new TreeMap<>();
            if (Errand.isLabelled(run.input())) {
                labels.putAll(Errand.optionsOf(run.input()).labels());
            }
            database.sql("""
                            SELECT substr(step, 7) AS name, detail AS value FROM saga_step
                            WHERE run_id = ? AND call = 'LABEL' ORDER BY position""")
                    .param(run.id())
                    .query(Label.class)
                    .list()
                    .forEach(label -> labels.put(label.name(), label.value()));
            labels.forEach((name, value) -> expected.add("%s %s=%s".formatted(run.id(), name, value)));
        }
        List<String> actual = database.sql(
                        "SELECT run_id::text || ' ' || name || '=' || value FROM saga_label ORDER BY run_id, name")
                .query(String.class)
                .list();
        return actual.equals(expected) ? List.of() : List.of("The labels are %s, not %s".formatted(actual, expected));
    }

    record Label(String name, String value) {}

    /**
     * Finds runs that are lost or not completed, and compares the number of answers with the number of errands that
     * start an answer.
     */
    private static List<String> ends(List<Found> runs, Set<UUID> known) {
        List<String> faults = new ArrayList<>();
        Set<UUID> lost = new HashSet<>(known);
        runs.forEach(run -> lost.remove(run.id()));
        lost.forEach(run -> faults.add("run %s was started and is missing".formatted(run)));
        runs.stream()
                .filter(run -> !run.state().equals("completed") || run.node() != null)
                .forEach(run -> faults.add("%s is not completed".formatted(run)));
        long asking = runs.stream()
                .filter(run -> run.isErrand() && Errand.startsAnswer(run.input()))
                .count();
        long answering = runs.stream().filter(run -> !run.isErrand()).count();
        if (asking != answering) {
            faults.add("%d errands have asked, and %d answers were started".formatted(asking, answering));
        }
        return faults;
    }

    /** Finds effects and bookings of a run that does not exist, because its start was rolled back. */
    private List<String> withoutRun(List<Found> runs) {
        Set<UUID> known = new HashSet<>();
        runs.forEach(run -> known.add(run.id()));
        List<String> faults = new ArrayList<>();
        ledger.all().stream()
                .filter(line -> !known.contains(line.run()))
                .forEach(line -> faults.add("%s belongs to no run".formatted(line)));
        booked().stream()
                .filter(row -> !known.contains(row.run()))
                .forEach(row -> faults.add("%s belongs to no run".formatted(row)));
        return faults;
    }

    /** Finds gaps in the journal, tokens lower than the previous token, and results that exist twice or not at all. */
    private static List<String> journal(Found run, List<Journaled> journal) {
        List<String> faults = new ArrayList<>();
        Map<String, Long> results = new TreeMap<>();
        long token = 0;
        for (int position = 0; position < journal.size(); position++) {
            Journaled entry = journal.get(position);
            if (entry.position() != position || entry.token() < token) {
                faults.add("%s of %s does not follow position %d with token %d"
                        .formatted(entry, run, position - 1, token));
            }
            token = entry.token();
            if (entry.mark().equals("DONE")) {
                results.merge(entry.step(), 1L, Long::sum);
            }
        }
        Map<String, Long> expected = new TreeMap<>();
        run.effects().forEach(step -> expected.put(step, 1L));
        run.bookings().forEach(step -> expected.put(step, 1L));
        if (run.isErrand()) {
            expected.put("now", 1L);
            expected.put(Errand.WORD, 1L);
        }
        if (Errand.isLabelled(run.input())) {
            expected.put("label:paid", 1L);
            expected.put("label:phase", 2L);
        }
        long failed = journal.stream()
                .filter(entry -> entry.mark().equals("ATTEMPT_FAILED"))
                .count();
        if (failed != (run.isErrand() ? Errand.FAILED_ATTEMPTS : 0)) {
            faults.add("%s has %d failed attempts in its journal".formatted(run, failed));
        }
        if (!results.equals(expected)) {
            faults.add("%s has the results %s".formatted(run, results));
        }
        return faults;
    }

    private static List<String> bookings(Found run, List<Booked> booked) {
        Map<String, Long> expected = new TreeMap<>();
        run.bookings().forEach(step -> expected.put(step, 1L));
        Map<String, Long> actual = booked.stream().collect(groupingBy(Booked::step, TreeMap::new, counting()));
        return actual.equals(expected) ? List.of() : List.of("%s has booked %s".formatted(run, booked));
    }

    private static List<String> effects(Found run, List<Journaled> journal, List<Line> lines, int crashes) {
        List<String> faults = new ArrayList<>();
        Map<String, List<Line>> bySteps = lines.stream().collect(groupingBy(Line::step, TreeMap::new, toList()));
        if (!bySteps.keySet().equals(Set.copyOf(run.effects()))) {
            faults.add("%s has had the effects %s".formatted(run, bySteps.keySet()));
        }
        bySteps.forEach((step, effects) -> {
            // The step "wire" must not be repeated, and its effect can be looked up. It therefore has one effect.
            boolean isRetried = step.equals(Errand.HAGGLE);
            int attempts = isRetried ? 1 + Errand.FAILED_ATTEMPTS + (Errand.isStubborn(run.input()) ? 1 : 0) : 1;
            if (effects.size() < attempts || effects.size() - attempts > (step.equals("wire") ? 0 : crashes)) {
                faults.add("%s has had '%s' %d times".formatted(run, step, effects.size()));
            }
            // A node that dies does not repeat an effect. A node that only loses the database may repeat an effect.
            if (crashes < ANY_NUMBER
                    && !isRetried
                    && effects.stream().map(Line::node).distinct().count() < effects.size()) {
                faults.add("%s has had '%s' twice by one node: %s".formatted(run, step, effects));
            }
            if (effects.stream().anyMatch(line -> !line.idempotencyKey().equals(run.id() + ":" + step))) {
                faults.add("%s has had '%s' with another key: %s".formatted(run, step, effects));
            }
            Set<String> last =
                    Set.of(Long.toString(effects.get(effects.size() - 1).id()));
            Set<String> journaled = new HashSet<>();
            journal.stream()
                    .filter(entry -> entry.step().equals(step) && entry.mark().equals("DONE"))
                    .forEach(entry -> journaled.add(String.valueOf(entry.value())));
            if (!journaled.equals(last)) {
                faults.add("%s has done '%s' after its result was journaled: %s, journaled %s"
                        .formatted(run, step, effects, journaled));
            }
        });
        return faults;
    }
}
