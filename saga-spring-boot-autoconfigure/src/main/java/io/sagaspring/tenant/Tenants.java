package io.sagaspring.tenant;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives the library access to the tenants. Checks each answer of the application's {@link TenantContext}, because it is
 * better to fail than to execute work for the wrong tenant.
 *
 * @since 0.1.0
 */
public final class Tenants {

    /**
     * The greatest allowed length of a tenant's name, in characters. The name becomes part of the entries of an index,
     * and PostgreSQL limits the length of such an entry.
     */
    public static final int LONGEST = 100;

    /** Separates a tenant from a key. Neither contains a control character, so the separator is unambiguous. */
    private static final char SEPARATOR = '\u001F';

    private static final Tenants NONE = new Tenants(null);

    private final @Nullable TenantContext context;

    private Tenants(@Nullable TenantContext context) {
        this.context = context;
    }

    /** {@return the instance for an application without a {@link TenantContext}} */
    public static Tenants none() {
        return NONE;
    }

    /**
     * Returns the tenants of an application.
     *
     * @param context the application's bean, or null if it has none
     * @return the tenants
     */
    public static Tenants of(@Nullable TenantContext context) {
        return context == null ? NONE : new Tenants(context);
    }

    /** {@return true if the application has no {@link TenantContext}; SQL statements then contain no tenant} */
    public boolean areNone() {
        return context == null;
    }

    /**
     * Returns the tenant of the current thread.
     *
     * @return the tenant's name, or null if the thread works for no tenant
     * @throws IllegalStateException if the name cannot be stored
     */
    public @Nullable String current() {
        return context == null ? null : checked(context, context.current());
    }

    private static @Nullable String checked(TenantContext context, @Nullable String name) {
        if (name == null || isStorable(name)) {
            return name;
        }
        throw new IllegalStateException(
                "%s returned '%s' as a tenant. Return a name that is not blank, has at most %d characters, and contains no control character."
                        .formatted(
                                context.getClass().getName(),
                                name.substring(0, Math.min(name.length(), LONGEST)),
                                LONGEST));
    }

    private static boolean isStorable(String name) {
        return !name.isBlank()
                && name.length() <= LONGEST
                && name.chars().noneMatch(Character::isISOControl)
                && StandardCharsets.UTF_8.newEncoder().canEncode(name);
    }

    /**
     * Lists the tenants that exist.
     *
     * @return the names, without duplicates and in a stable order; empty if the application has no tenants
     */
    public List<String> all() {
        if (context == null) {
            return List.of();
        }
        TenantContext of = context;
        Collection<String> names = of.all();
        return names.stream()
                .map(name -> Objects.requireNonNull(checked(of, name)))
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * Runs work in the context of a tenant.
     *
     * @param tenant the tenant that was stored with the work, or null if it was stored for no tenant
     * @param work the work
     * @param <T> the type of the result
     * @return the result of the work
     * @throws TenantUnavailableException if the context cannot be entered; the work was not called
     */
    public <T extends @Nullable Object> T in(@Nullable String tenant, Supplier<T> work) {
        try {
            return call(tenant, work::get);
        } catch (RuntimeException | Error thrown) {
            throw thrown;
        } catch (Exception impossible) {
            throw new IllegalStateException(
                    "TenantContext.call threw a checked exception after it had called the work. It may only pass on exceptions of the work.",
                    impossible);
        }
    }

    /**
     * Runs work in the context of a tenant.
     *
     * @param tenant the tenant that was stored with the work, or null if it was stored for no tenant
     * @param work the work
     * @throws TenantUnavailableException if the context cannot be entered; the work was not called
     */
    public void run(@Nullable String tenant, Runnable work) {
        boolean unused = in(tenant, () -> {
            work.run();
            return true;
        });
    }

    /**
     * Runs work in the context of a tenant.
     *
     * @param tenant the tenant that was stored with the work, or null if it was stored for no tenant
     * @param work the work
     * @param <T> the type of the result
     * @return the result of the work
     * @throws TenantUnavailableException if the context cannot be entered; the work was not called
     * @throws Exception if the work throws it
     */
    public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
        if (context == null) {
            if (tenant == null) {
                return work.call();
            }
            throw new TenantUnavailableException(
                    "This work belongs to tenant '%s', but the application has no TenantContext. Declare a bean of this type."
                            .formatted(tenant),
                    null);
        }
        return Objects.equals(context.current(), tenant) ? work.call() : new Entry<>(context, tenant, work).call();
    }

    /**
     * Returns the string under which a key of the current tenant is stored, so that two tenants can use the same key
     * independently.
     *
     * @param key the key, which must not contain control characters
     * @return the key with its tenant, or the key itself if the current thread works for no tenant
     */
    public String qualified(String key) {
        String tenant = current();
        return tenant == null ? key : tenant + SEPARATOR + key;
    }

    /**
     * One call of {@link TenantContext#call}. Checks that the context calls the work once, and for the right tenant.
     */
    private static final class Entry<T extends @Nullable Object> implements Callable<T> {

        private final TenantContext context;
        private final @Nullable String tenant;
        private final Callable<T> work;
        private int entered;

        Entry(TenantContext context, @Nullable String tenant, Callable<T> work) {
            this.context = context;
            this.tenant = tenant;
            this.work = work;
        }

        @Override
        public T call() throws Exception {
            T result;
            try {
                result = context.call(tenant, this::enter);
            } catch (RuntimeException failed) {
                throw entered == 0 && !(failed instanceof TenantUnavailableException)
                        ? unavailable("could not enter the context", failed)
                        : failed;
            } catch (Exception failed) {
                throw entered == 0 ? unavailable("could not enter the context", failed) : failed;
            }
            if (entered == 0) {
                throw unavailable("did not call the work", null);
            }
            return result;
        }

        private T enter() throws Exception {
            String found = context.current();
            if (!Objects.equals(found, tenant)) {
                throw unavailable("returned %s as the current tenant during the call".formatted(shown(found)), null);
            }
            if (entered++ > 0) {
                throw new IllegalStateException(
                        "%s called the work of a tenant twice. Call the work once.".formatted(name()));
            }
            return work.call();
        }

        private String name() {
            return context.getClass().getName();
        }

        private static String shown(@Nullable String tenant) {
            return tenant == null ? "none" : "'%s'".formatted(tenant);
        }

        private TenantUnavailableException unavailable(String predicate, @Nullable Throwable cause) {
            return new TenantUnavailableException(
                    "Work for tenant %s was not begun, because %s %s. For every tenant that has stored work, TenantContext.call must make the tenant current and call the work."
                            .formatted(shown(tenant), name(), predicate),
                    cause);
        }
    }
}
