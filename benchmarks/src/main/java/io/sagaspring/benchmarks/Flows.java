package io.sagaspring.benchmarks;

/** One way to run flows of three steps, each result durable before the next step. Its tables and threads are its own. */
interface Flows extends AutoCloseable {

    /**
     * Runs one.
     *
     * @param payload what it is given, and what each of its steps results in
     * @return what its last step resulted in, when it is over
     */
    String run(String payload);

    /** How many are over, as its own tables tell. */
    long over();

    @Override
    void close();
}
