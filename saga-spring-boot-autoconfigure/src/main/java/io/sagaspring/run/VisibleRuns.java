package io.sagaspring.run;

import io.sagaspring.due.Backlog;
import io.sagaspring.tenant.TenantUnavailableException;
import io.sagaspring.tenant.Tenants;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs that the caller may see and change: those of the current tenant, or all if no tenant is current. Any other
 * run is treated as unknown. Only the counts ({@link #troubled} and {@link #backlog}) include the runs of all tenants.
 * The tenant of a run never changes, so a separate statement can read it before a change. Without a current tenant,
 * that statement is omitted.
 *
 * @since 0.1.0
 */
public final class VisibleRuns implements RunInbox, RunQueries {

    private static final Logger logger = LoggerFactory.getLogger(VisibleRuns.class);

    private final RunStore store;
    private final Tenants tenants;

    /**
     * Creates the view of a store.
     *
     * @param store the store of the runs of all tenants
     * @param tenants the source of the current tenant
     */
    public VisibleRuns(RunStore store, Tenants tenants) {
        this.store = store;
        this.tenants = tenants;
    }

    /**
     * Notifies listeners while a run's tenant is the current tenant. If that tenant cannot be restored, the listeners
     * are not notified, and a warning is logged.
     *
     * @param run the run
     * @param notification the action that notifies the listeners
     */
    public void notifyInTenantOf(RunRow run, Runnable notification) {
        try {
            tenants.run(run.tenant(), notification);
        } catch (TenantUnavailableException unavailable) {
            logger.warn("Listeners were not notified of a change of run {}", run.id(), unavailable);
        }
    }

    /**
     * Returns the store itself, for calls that need no check of the tenant, such as those of a run about itself.
     *
     * @return the store with the runs of all tenants
     */
    public RunStore ofAllTenants() {
        return store;
    }

    /**
     * Returns true if the caller may see the run. If no tenant is current, returns true even for an unknown run: the
     * store then reports that the run is unknown.
     */
    private boolean isVisible(RunId id) {
        return tenants.current() == null || findRow(id).isPresent();
    }

    private boolean isVisible(RunRow run) {
        String current = tenants.current();
        return current == null || current.equals(run.tenant());
    }

    void require(RunId id) {
        if (!isVisible(id)) {
            throw new NoSuchRunException(id);
        }
    }

    @Override
    public Optional<RunRow> findRow(RunId id) {
        return store.findRow(id).filter(this::isVisible);
    }

    @Override
    public Optional<RunRow> find(RunId id) {
        return store.find(id).filter(this::isVisible);
    }

    @Override
    public List<RunRow> list(RunQuery query) {
        return visible(query).map(store::list).orElse(List.of());
    }

    @Override
    public RunCount count(RunQuery query, int most) {
        return visible(query).map(each -> store.count(each, most)).orElse(new RunCount(0, false));
    }

    /** Limits a query to the current tenant. Returns empty if the query is about another tenant. */
    private Optional<RunQuery> visible(RunQuery query) {
        String current = tenants.current();
        if (current == null) {
            return Optional.of(query);
        }
        return query.tenant() == null || current.equals(query.tenant())
                ? Optional.of(query.ofTenant(current))
                : Optional.empty();
    }

    /**
     * Finds the run that was started with a key in the current tenant. If no tenant is current, finds the run that was
     * started outside any tenant.
     */
    Optional<RunRow> find(String run, String key) {
        String current = tenants.current();
        String tenant = current == null ? RunQuery.WITHOUT_TENANT : current;
        return store.list(new RunQuery(run, key, tenant, Set.of(), null, null, 1)).stream()
                .findFirst()
                .flatMap(found -> store.find(found.id()));
    }

    @Override
    public Map<RunState, Long> troubled() {
        return store.troubled();
    }

    @Override
    public List<Backlog> backlog(Set<String> known) {
        return store.backlog(known);
    }

    @Override
    public List<Signal> signals(RunId id, String name) {
        return isVisible(id) ? store.signals(id, name) : List.of();
    }

    @Override
    public Answer signal(RunId id, String name, String key, StoredValue value) {
        return isVisible(id) ? store.signal(id, name, key, value) : Answer.UNKNOWN;
    }

    @Override
    public Answer reply(RunId id, RunReply reply) {
        return isVisible(id) ? store.reply(id, reply) : Answer.UNKNOWN;
    }

    @Override
    public boolean note(RunId id, String name, String key) {
        return isVisible(id) && store.note(id, name, key);
    }

    @Override
    public List<Note> notes(RunId id) {
        return isVisible(id) ? store.notes(id) : List.of();
    }

    @Override
    public List<Note> notes(String name, String key) {
        return store.notes(name, key).stream()
                .filter(note -> isVisible(note.id()))
                .toList();
    }

    @Override
    public Answer cancel(RunId id, String reason) {
        return isVisible(id) ? store.cancel(id, reason) : Answer.UNKNOWN;
    }

    @Override
    public boolean retry(RunId id) {
        return isVisible(id) && store.retry(id);
    }

    @Override
    public boolean resolve(RunId id, JournalEntry entry) {
        return isVisible(id) && store.resolve(id, entry);
    }

    @Override
    public boolean giveUp(RunId id, String reason, boolean orphaned) {
        return isVisible(id) && store.giveUp(id, reason, orphaned);
    }
}
