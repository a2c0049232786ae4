package io.sagaspring.janitor;

/**
 * A backend of the database whose transaction keeps others out.
 *
 * @param pid its process
 * @param description what the database knows of it
 */
record Blocker(int pid, String description) {

    @Override
    public String toString() {
        return "backend %d (%s)".formatted(pid, description);
    }
}
