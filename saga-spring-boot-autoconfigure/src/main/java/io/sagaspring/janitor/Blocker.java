package io.sagaspring.janitor;

/**
 * A backend of the database whose transaction keeps others out.
 *
 * @param pid its process
 * @param description what the database knows of it
 * @param isOverdue whether its transaction is older than the window: another janitor's never is
 */
record Blocker(int pid, String description, boolean isOverdue) {

    @Override
    public String toString() {
        return "backend %d (%s)".formatted(pid, description);
    }
}
