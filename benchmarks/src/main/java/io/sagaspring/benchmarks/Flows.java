package io.sagaspring.benchmarks;

/**
 * A contender that runs flows of three steps. Each result is durable before the next step. Every contender has its own
 * tables and threads.
 */
interface Flows extends AutoCloseable {

    /**
     * Runs a flow.
     *
     * @param payload the input of the flow and the result of each step
     * @return the result of the last step, when the flow has ended
     */
    String run(String payload);

    /** Returns the number of ended flows according to the contender's tables. */
    long over();

    @Override
    void close();
}
