package io.sagaspring.run;

import io.sagaspring.run.postgres.PostgresRunStore.Commits;

/** Lets the runs of the tests share commits, unless {@code -Dsaga.test.group-commit=false} is set. */
public final class TestedCommits {

    public static final Commits COMMITS =
            System.getProperty("saga.test.group-commit", "true").equals("true") ? Commits.SHARED : Commits.SEPARATE;

    private TestedCommits() {}

    public static boolean areShared() {
        return COMMITS == Commits.SHARED;
    }
}
