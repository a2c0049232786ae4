package io.sagaspring.schema;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The scripts that create the tables, in the order in which they run. The list is fixed, because a search of the class
 * path finds nothing in a native image and too much in a repackaged jar.
 *
 * @param all the scripts in the order of their versions, at least one
 */
record MigrationScripts(List<MigrationScript> all) {

    /**
     * The folder of the scripts on the class path. No application keeps its own scripts in this folder, so its
     * migrations do not run these scripts by accident.
     */
    static final String LOCATION = "io/sagaspring/schema";

    static final MigrationScripts SHIPPED = in(
            LOCATION,
            "V1__schema_version.sql",
            "V2__claims.sql",
            "V3__due_work.sql",
            "V4__idempotency_keys.sql",
            "V5__leases.sql",
            "V6__runs.sql",
            "V7__compensation.sql",
            "V8__run_lanes.sql",
            "V9__looking_at_runs.sql",
            "V10__effect_keys.sql",
            "V11__one_index_less.sql",
            "V12__rows_of_saga_signal.sql",
            "V13__tenants.sql",
            "V14__tenants_of_runs_and_keys.sql",
            "V15__schedules.sql",
            "V16__queues.sql",
            "V17__labels.sql",
            "V18__deliveries.sql",
            "V19__queues_of_schedules.sql",
            "V20__kinds_of_keys.sql",
            "V21__previous_firings.sql",
            "V22__audit.sql",
            "V23__pause.sql");

    static MigrationScripts in(String location, String... names) {
        return new MigrationScripts(
                Stream.of(names).map(name -> MigrationScript.of(location, name)).toList());
    }

    int latest() {
        return all.get(all.size() - 1).version();
    }

    /** Returns the scripts that must still run, given the versions that have already run. */
    List<MigrationScript> missingIn(Set<Integer> versions) {
        return all.stream()
                .filter(script -> !versions.contains(script.version()))
                .toList();
    }
}
