package io.sagaspring.operations;

import io.sagaspring.operations.Audit.Request;
import io.sagaspring.run.KeyInUseException;
import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.tenant.TenantUnavailableException;
import io.sagaspring.tenant.Tenants;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Performs operations on single runs of all tenants. It finds the run first, so that the audit knows its tenant. */
record RunRequests(Runs runs, Tenants tenants, Audit audit) {

    /** Performs an operation. The operation gets null if there is no such run. */
    OperationResult perform(
            String operation,
            RunId run,
            Operator operator,
            @Nullable String reason,
            Function<@Nullable RunView, OperationResult> change) {
        RunView before;
        try {
            before = ofAllTenants(() -> runs.find(run)).orElse(null);
        } catch (RuntimeException unreadable) {
            Request request = new Request(operation, OperationTarget.of("run", run.toString()), operator, reason);
            return audit.perform(request, () -> {
                throw unreadable;
            });
        }
        OperationTarget target = new OperationTarget("run", run.toString(), before == null ? null : before.tenant());
        return audit.perform(
                new Request(operation, target, operator, reason),
                () -> ofAllTenants(() -> performed(run, () -> change.apply(before))));
    }

    private static OperationResult performed(RunId run, Supplier<OperationResult> change) {
        try {
            return change.get();
        } catch (KeyInUseException inUse) {
            return OperationResult.refused(Objects.requireNonNull(inUse.getMessage()));
        } catch (TenantUnavailableException unavailable) {
            return OperationResult.refused(Objects.requireNonNull(unavailable.getMessage()));
        } catch (NoSuchRunException none) {
            return unknown(run);
        }
    }

    <T extends @Nullable Object> T ofAllTenants(Supplier<T> call) {
        return tenants.in(null, call);
    }

    /** Makes a change that writes or reads values. The application's codec may depend on the tenant of the run. */
    <T> T inTenantOf(RunView run, Supplier<T> change) {
        return tenants.in(run.tenant(), change);
    }

    static OperationResult unknown(RunId run) {
        return OperationResult.unknown(
                "There is no run %s. It was never started, or it has been removed.".formatted(run));
    }
}
