package io.sagaspring.run;

import io.sagaspring.run.PostgresRunStore.Commits;

/** How the nodes of the tests commit: together, unless {@code -Dsaga.test.group-commit=false} says otherwise. */
public final class TestedCommits {

    /** Its name is given to processes, too. */
    public static final String PROPERTY = "saga.test.group-commit";

    public static final Commits COMMITS =
            System.getProperty(PROPERTY, "true").equals("true") ? Commits.SHARED : Commits.SEPARATE;

    private TestedCommits() {}

    public static boolean areShared() {
        return COMMITS == Commits.SHARED;
    }
}
